// Sends the requests of the reference's forms and shows what came back.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const asCurl = (address, options) => {
  const headers = Object.entries(options.headers).map(([name, value]) =>
    `-H ${quoted(`${name}: ${name === "Authorization" ? "Bearer $KEY" : value}`)}`.replace("'Authorization: Bearer $KEY'", '"Authorization: Bearer $KEY"'));
  const body = options.body ? [`--data ${quoted(options.body)}`] : [];
  return ["curl", ...headers, ...body, quoted(address)].join(" ");
};

const asText = async (answer) => {
  const text = await answer.text();
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};

const piece = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const address = new URL(form.dataset.path, location.origin);
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    const options = { method: form.dataset.method, headers: {} };
    const key = document.getElementById("key").value.trim();
    if (key) options.headers.Authorization = `Bearer ${key}`;
    if (options.method === "GET") {
      for (const [name, value] of filled) address.searchParams.set(name, value);
    } else {
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(Object.fromEntries(filled));
    }
    const place = form.querySelector(".answer");
    place.replaceChildren(piece("p", "Waiting for the answer…", { class: "soft small" }));
    try {
      const began = performance.now();
      const answer = await fetch(address, options);
      const text = await asText(answer);
      const took = Math.round(performance.now() - began);
      place.replaceChildren(
        piece("p", `${answer.status} ${answer.statusText} in ${took} ms`, { class: "verdict" }),
        piece("pre", asCurl(address.href, options), { tabindex: "0", role: "region", "aria-label": "The same as a command" }),
        piece("pre", text.slice(0, 200000), { tabindex: "0", role: "region", "aria-label": "The answer", class: "long" }),
      );
    } catch {
      place.replaceChildren(piece("p", "No answer came.", { class: "wrong" }));
    }
  });
}
