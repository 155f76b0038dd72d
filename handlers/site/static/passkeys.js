// Passkeys: forms that are shown where the browser has them, and filled in by it.
for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = form.querySelector("[role=status]");
    said.textContent = "";
    const options = JSON.parse(form.dataset.options);
    try {
      const credential = form.dataset.passkey === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      form.elements.credential.value = JSON.stringify(credential);
    } catch (error) {
      said.textContent = error.name === "InvalidStateError" ? "This device has a passkey of yours already." : "No passkey was used.";
      return;
    }
    form.submit();
  });
}
