// One's own stream: keys and menus. The page works without them.
const lines = [...document.querySelectorAll(".line")];
const dialog = document.getElementById("keys");
const SETTING = "changewire-keys";

const usesKeys = () => {
  try { return localStorage.getItem(SETTING) !== "off"; } catch { return true; }
};

if (dialog) {
  const current = () => document.activeElement?.closest?.(".line");
  const go = (step) => {
    const place = lines.indexOf(current());
    const next = place < 0 ? lines[0] : lines[place + step];
    next?.querySelector(".headline").focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const help = () => { if (!dialog.open) dialog.showModal(); };
  const keys = {
    j: () => go(1),
    k: () => go(-1),
    o: () => current()?.querySelector(".headline").click(),
    "/": () => document.getElementById("words").focus(),
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (!Object.hasOwn(keys, event.key) || !usesKeys()) return;
    event.preventDefault();
    keys[event.key]();
  });

  const button = document.getElementById("show-keys");
  button.hidden = false;
  button.addEventListener("click", help);
  const box = document.getElementById("use-keys");
  box.checked = usesKeys();
  box.addEventListener("change", () => {
    try { localStorage.setItem(SETTING, box.checked ? "on" : "off"); } catch { /* private windows */ }
  });
}

// Menus of chips: one is open at a time, and closes on Escape and on a click elsewhere.
const picks = [...document.querySelectorAll("details.chip-menu")];
document.addEventListener("click", (event) => {
  for (const pick of picks) if (!pick.contains(event.target)) pick.open = false;
});
for (const pick of picks) {
  pick.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !pick.open) return;
    pick.open = false;
    pick.querySelector("summary").focus();
  });
}
