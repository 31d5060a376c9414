"""A component's script in an empty page, without Streamlit."""

START = """async ([source, html, css]) => {
  document.body.innerHTML = '<div id="host" style="width: 800px"></div>';
  const root = document.getElementById("host").attachShadow({ mode: "open" });
  root.innerHTML = `${html}<style>${css}</style>`;
  const blob = new Blob([source], { type: "text/javascript" });
  const module = await import(URL.createObjectURL(blob));
  window.sent = [];
  window.show = (data) =>
    module.default({
      data,
      parentElement: root,
      setStateValue: (name, value) => window.sent.push([name, value]),
    });
}"""
"""Takes script, HTML and CSS; then `show(data)` calls the script and `sent` is what it sent."""
