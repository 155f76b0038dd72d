// One's own stream: keys, and marks without a reload. The page works without them.
const marks = document.getElementById("marks");
const lines = marks ? [...marks.querySelectorAll(".line")] : [];
const dialog = document.getElementById("keys");
const SETTING = "changewire-keys";

const usesKeys = () => {
  try { return localStorage.getItem(SETTING) !== "off"; } catch { return true; }
};

const say = (text) => {
  const said = document.getElementById("said");
  said.textContent = text;
  said.hidden = !text;
};

const data = (name, value) => {
  const sent = new FormData(marks);
  sent.set(name, value);
  return sent;
};

const count = (by) => {
  const shown = document.getElementById("unread-count");
  const digits = shown.textContent.replace(/,/g, "");
  if (/^\d+$/.test(digits)) shown.textContent = (Number(digits) + by).toLocaleString("en");
};

// Show a line as read or unread: its dot, its words for those who hear them, the count above.
const show = (line, unread) => {
  const dot = line.querySelector(".dot");
  line.classList.toggle("unread", unread);
  dot.name = unread ? "read" : "unread";
  dot.title = unread ? "Mark read" : "Mark unread";
  const words = dot.querySelector(".unseen");
  words.textContent = words.textContent.replace(/^Mark (un)?read/, dot.title);
  const headline = line.querySelector(".headline");
  headline.querySelector(".unseen")?.remove();
  if (unread) {
    const told = document.createElement("span");
    told.className = "unseen";
    told.textContent = "Unread: ";
    headline.prepend(told);
  }
  count(unread ? 1 : -1);
};

const toggle = async (line) => {
  const { name, value } = line.querySelector(".dot");
  show(line, name === "unread");
  try {
    const answer = await fetch(marks.action, {
      method: "POST", body: data(name, value), headers: { Accept: "application/json" },
    });
    if (answer.status !== 204) throw new Error(String(answer.status));
    say("");
  } catch {
    show(line, name === "read");
    say("The mark could not be saved. Load the page again and try once more.");
  }
};

if (marks) {
  marks.addEventListener("submit", (event) => {
    if (!event.submitter?.classList.contains("dot")) return;
    event.preventDefault();
    toggle(event.submitter.closest(".line"));
  });

  // What is opened is read; it is told on the way out.
  const opened = (event) => {
    const line = event.target.closest(".headline")?.closest(".unread");
    if (!line || event.button > 1) return;
    navigator.sendBeacon(marks.action, data("read", line.querySelector(".dot").value));
    show(line, false);
  };
  marks.addEventListener("click", opened);
  marks.addEventListener("auxclick", opened);

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
    m: () => { const line = current(); if (line) toggle(line); },
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
