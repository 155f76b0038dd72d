// Puts the interactive reference in the place of the plain one.
const place = document.getElementById("try");
if (window.SwaggerUIBundle) {
  document.getElementById("operations").hidden = true;
  window.SwaggerUIBundle({
    domNode: place,
    url: place.dataset.contract,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    syntaxHighlight: false,
  });
}
