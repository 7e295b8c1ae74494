/** Serves the app for browsers at the origin of the API: one HTML page for all its addresses, and the files of its build. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import { notFound } from '../../kernel/errors.js'
import type { Page } from '../pipeline/page.js'
import { asset } from './asset.js'
import { wantsPage } from './missing.js'

/** The names of the built files that the page loads, as scripts/build-browser.ts writes them. */
interface Manifest {
  script: string
  /** The files that the script imports on load. */
  imports: readonly string[]
  style: string
  theme: string
  /** The font that the first paint needs. */
  font: string
  files: readonly string[]
}

const FILES = '/~desk/'
/** The first segments of the app's addresses. */
const SCREENS = /^\/(?:$|(?:sign-in|start|invite|inbox|new|settings|o|collections|s|sites)(?:\/|$))/
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
}

/** A server that runs from the sources serves the last build. */
const folder = [new URL('../../desk/assets/', import.meta.url), new URL('../../../dist/desk/assets/', import.meta.url)]

/**
 * Scripts, styles and requests stay on this origin. Frames show previews of sites, which have another origin. The nonce is
 * for the style sheets that the editor creates. Pictures of a text may come from any host, as on its site.
 */
const policy = (nonce: string, sites: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob: https: http:; font-src 'self'; connect-src 'self'; media-src 'self' https:; frame-src ${sites}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

const html = (
  { script, imports, style, theme, font }: Manifest,
  nonce: string,
  sample: string | null,
): string => `<!doctype html>
<html lang="en"${sample === null ? '' : ` data-sample="${escaped(sample)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Bindery</title>
<script src="${FILES}${theme}"></script>
<link rel="preload" href="${FILES}${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${FILES}${style}" nonce="${nonce}">
${imports.map((name) => `<link rel="modulepreload" href="${FILES}${name}">`).join('\n')}
<script type="module" src="${FILES}${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>Bindery's app needs JavaScript. <a href="/docs">The API reference</a></noscript>
</body>
</html>
`

/**
 * Returns a function that finds the page at a path: the app, or one of its files; null for other paths. Programs get
 * 404 at the app's addresses, because the API is below `/v1`.
 * @param sample returns the address of the sample site, if there is one
 * @param sites returns the origin of published sites, whose previews the app shows in frames
 */
export function deskPages(sample: () => Promise<string | null>, sites: () => string): (path: string) => Page | null {
  const built = folder.find((one) => existsSync(new URL('manifest.json', one)))
  if (!built) throw new Error('The files of the app are missing. Run `npm run build`.')
  const manifest: Manifest = JSON.parse(readFileSync(new URL('manifest.json', built), 'utf8'))
  const files = new Map(manifest.files.map((name) => [FILES + name, assetFor(new URL(name, built), name)]))
  const app: Page = {
    path: '/',
    operation: 'desk',
    serve: async (ctx: Context) => {
      if (!wantsPage(ctx)) throw notFound('This path')
      const nonce = randomBytes(16).toString('base64url')
      ctx.set('Content-Security-Policy', policy(nonce, sites()))
      ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
      ctx.set('Referrer-Policy', 'same-origin')
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = html(manifest, nonce, await sample())
    },
  }
  return (path) => files.get(path) ?? (SCREENS.test(path) ? app : null)
}

/** The name of a file contains the hash of its content, so browsers may cache it forever. */
function assetFor(file: URL, name: string): Page {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return asset('desk', FILES + name, type, () => readFile(file), 'public, max-age=31536000, immutable')
}
