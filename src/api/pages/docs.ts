/** Serves the API reference at `/docs`, with all scripts and styles from this server. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Page } from '../pipeline/page.js'
import { asset, fixed } from './asset.js'

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; the document itself is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: false,
  tagsSorter: 'alpha',
  validatorUrl: null,
})
`

const installed: readonly (readonly [file: string, type: string])[] = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]

/**
 * Returns the pages of the API reference at `/docs`: Swagger UI from the installed package, without files from other
 * hosts.
 */
export function docsPages(): Page[] {
  const html = fixed(HTML)
  return [
    asset('docs', '/docs', 'text/html; charset=utf-8', html),
    asset('docs', '/docs/', 'text/html; charset=utf-8', html),
    asset('docs', '/docs/start.js', 'text/javascript; charset=utf-8', fixed(START)),
    ...installed.map(([file, type]) => asset('docs', `/docs/${file}`, type, () => readFile(join(folder, file)))),
  ]
}
