// Runs privacy-checker.pyz, the same file as on a command line, in Python for browsers.
const OUTCOMES = {0: "accepted", 1: "not as expected", 2: "refused", 4: "rejected"};
let lines = [];

async function started() {
  const here = new URL("./", self.location.href);
  const {loadPyodide} = await import(new URL("pyodide/pyodide.mjs", here));
  const python = await loadPyodide({indexURL: new URL("pyodide/", here).href});
  for (const stream of ["setStdout", "setStderr"]) python[stream]({batched: (line) => lines.push(line)});
  const answer = await fetch(new URL("privacy-checker.pyz", here));
  if (!answer.ok) throw new Error("the checker is not on this site");
  python.FS.writeFile("/privacy-checker.pyz", new Uint8Array(await answer.arrayBuffer()));
  python.runPython("import sys; sys.path.insert(0, '/privacy-checker.pyz'); import main");
  return python;
}

const python = started();
self.onmessage = async ({data}) => {
  try {
    const {FS, globals, runPython} = await python;
    lines = [];
    FS.writeFile("/certificate", data.text);
    globals.set("asked", ["/certificate", ...(data.digest ? ["--digest", data.digest] : [])]);
    const status = runPython("main.main(['certify', *asked])");
    self.postMessage({words: lines.join("\n"), outcome: OUTCOMES[status]});
  } catch (error) {
    self.postMessage({words: `This could not be checked: ${error.message}`, outcome: "broken"});
  }
};
