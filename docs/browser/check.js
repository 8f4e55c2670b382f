// The page that checks a certificate. Python and the checker are on this site; both are loaded when
// something is checked for the first time, and run beside the page, which stays usable.
const text = document.getElementById("certificate"), digest = document.getElementById("digest");
const file = document.getElementById("file"), button = document.getElementById("check");
const told = document.getElementById("told");
let worker = null;

function say(words, outcome = "") {
  told.textContent = words;
  told.dataset.outcome = outcome;
}

file.addEventListener("change", async () => {
  if (file.files.length) text.value = await file.files[0].text();
});

button.addEventListener("click", () => {
  worker ??= new Worker(new URL("worker.js", import.meta.url), {type: "module"});
  button.disabled = true;
  say("Loading Python and the checker …");
  worker.onmessage = ({data}) => {
    say(data.words, data.outcome);
    button.disabled = false;
  };
  worker.onerror = (error) => {
    say(`Python could not be started: ${error.message || "it is not on this site, or the page was opened without a server"}`, "broken");
    button.disabled = false;
    worker = null;
  };
  worker.postMessage({text: text.value, digest: digest.value.trim()});
});
