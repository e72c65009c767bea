/** Shown in the place of the UI while it has not been built. */
export const missingUi = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>hearthd</title>
    <style>body { font: 16px/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
  </head>
  <body>
    <h1>hearthd is running</h1>
    <p>Its web interface has not been built yet. In the folder of hearthd, run</p>
    <pre>npm run build</pre>
    <p>and open this page again. The API works already: <a href="/api/">/api/</a>, <a href="/health">/health</a>.</p>
  </body>
</html>
`
