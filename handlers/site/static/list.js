// Keyboard shortcuts of lists of entries, and of an entry. The pages work without them.
const lines = [...document.querySelectorAll(".line")];
const dialog = document.getElementById("keys");
const SETTING = "changewire-keys";
const stored = (set) => { try { return set(localStorage); } catch { return null; } };

if (dialog) {
  const current = () => document.activeElement?.closest?.(".line");
  const go = (step) => {
    const shown = lines.filter((line) => line.checkVisibility());
    const place = shown.indexOf(current());
    const next = place < 0 ? shown[0] : shown[place + step];
    next?.querySelector("summary, .headline").focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const click = (selector) => document.querySelector(selector)?.click();
  const keys = {
    j: () => (lines.length ? go(1) : click(".around [rel=next]")),
    k: () => (lines.length ? go(-1) : click(".around [rel=prev]")),
    o: () => (lines.length ? current()?.querySelector("summary, .headline").click() : click(".entry .row .button")),
    "/": () => (document.getElementById("words") || document.getElementById("find")).focus(),
    "?": () => dialog.showModal(),
  };
  const box = document.getElementById("use-keys");
  box.checked = stored((storage) => storage.getItem(SETTING)) !== "off";
  box.addEventListener("change", () => stored((storage) => storage.setItem(SETTING, box.checked ? "on" : "off")));
  const button = document.getElementById("show-keys");
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (!Object.hasOwn(keys, event.key) || !box.checked) return;
    event.preventDefault();
    keys[event.key]();
  });
}
