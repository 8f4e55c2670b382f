// The client of VS Code: it starts the server, and restarts it where its settings change.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = workspace.getConfiguration("privacyVerifier");
  const [command, ...args] = settings.get("command");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath; // whose verifier.toml counts
  client = new LanguageClient(
    "privacyVerifier",
    "Privacy verifier",
    { command, args, options: { cwd: folder } },
    { documentSelector: [{ scheme: "file", pattern: settings.get("files") }] },
  );
  await client.start();
}

async function stop() {
  await client?.stop();
  client = undefined;
}

exports.activate = async (context) => {
  const changed = async (event) => {
    if (event.affectsConfiguration("privacyVerifier")) {
      await stop();
      await start();
    }
  };
  context.subscriptions.push(workspace.onDidChangeConfiguration(changed));
  await start();
};
exports.deactivate = stop;
