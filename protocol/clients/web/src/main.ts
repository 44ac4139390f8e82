// The page: connects to the server that it comes from, and shows its characters.
//   ?role=observer   asks for no more than watching
//   ?bare            hides all panels, for pictures
import "./styles/page.css";
import "./styles/panels.css";
import { App } from "./app";
import { tokenDialog } from "./panels/help";
import { layout } from "./panels/layout";

const parameters = new URLSearchParams(location.search);
const role = parameters.get("role");
const canvas = document.createElement("canvas");
canvas.tabIndex = 0;
canvas.setAttribute("role", "img");
canvas.setAttribute("aria-label", "The characters");

const scheme = location.protocol === "https:" ? "wss" : "ws";
const app = new App(canvas, `${scheme}://${location.host}/v1`, role === "observer" || role === "operator" ? role : undefined);
app.server.askToken = tokenDialog;
layout(app, canvas);
if (parameters.has("bare")) document.body.classList.add("bare");

declare global {
  interface Window {
    tweed: App; // for the browser's console, tests, and programs that take pictures
  }
}
window.tweed = app;
