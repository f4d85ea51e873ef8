/* Search without a server.

   The theme searches in a Worker, and a browser starts none for a page that lies on a disk (file:). There this
   class takes the Worker's place: the same script in a hidden frame, whose messages are passed on by hand. The
   theme knows it by its name, IFrameWorker. */
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      const attach = () => {
        document.body.append(this.frame);
        const inside = this.frame.contentWindow;
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        const script = inside.document.createElement("script");
        script.src = new URL(url, location.href);
        script.onload = () => {
          this.ready = true;
          this.waiting.splice(0).forEach((data) => this.postMessage(data));
        };
        inside.document.head.append(script);
      };
      if (document.body) attach();
      else document.addEventListener("DOMContentLoaded", attach);
    }

    postMessage(data) {
      if (this.ready) this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}
