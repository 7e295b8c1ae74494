import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { answerBytes } from '../pipeline/json-answer.js'
import type { Page } from '../pipeline/page.js'
import { PAGE_POLICY } from '../pipeline/response-headers.js'

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

/** A file of the page: read when first asked for, kept from then on. */
function asset(path: string, type: string, read: () => Promise<Buffer>): Page {
  let loading: Promise<{ bytes: Buffer; tag: string }> | undefined
  const load = async () => {
    const bytes = await read()
    return { bytes, tag: createHash('sha1').update(bytes).digest('base64url') }
  }
  return {
    path,
    operation: 'docs',
    serve: async (ctx) => {
      const { bytes, tag } = await (loading ??= load())
      ctx.set('Content-Security-Policy', PAGE_POLICY)
      ctx.set('Cache-Control', 'public, no-cache')
      await answerBytes(ctx, 200, type, bytes, tag)
    },
  }
}

/** The API reference at `/docs`: Swagger UI from the installed package, nothing from other hosts. */
export function docsPages(): Page[] {
  const text = (content: string) => async () => Buffer.from(content)
  const html = text(HTML)
  return [
    asset('/docs', 'text/html; charset=utf-8', html),
    asset('/docs/', 'text/html; charset=utf-8', html),
    asset('/docs/start.js', 'text/javascript; charset=utf-8', text(START)),
    ...installed.map(([file, type]) => asset(`/docs/${file}`, type, () => readFile(join(folder, file)))),
  ]
}
