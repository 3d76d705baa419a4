/** Shown instead of the console in a checkout where it was not built. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Prefixcast: the console is not built</title>
<h1>The console is not built</h1>
<p>This service runs from a checkout without it. In that directory, run <code>scripts/setup</code>, then load this page again.</p>
<p>The API works without the console: <a href="/docs">its reference</a>, <a href="/v1/openapi.json">its description</a>.</p>
</html>
`;
