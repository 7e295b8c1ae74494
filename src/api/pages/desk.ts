/** Serves the app for browsers at the origin of the API: one HTML page for all its addresses, and the files of its build. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import { notFound } from '../../kernel/errors.js'
import type { Page } from '../pipeline/page.js'
import { hasSession } from '../pipeline/session-cookie.js'
import { asset } from './asset.js'
import { wantsPage } from './missing.js'

/** The names of the built files that the page loads, as scripts/build-browser.ts writes them. */
interface Manifest {
  script: string
  /** The files that the script imports on load. */
  imports: readonly string[]
  style: string
  /** The style sheet of rendered texts. */
  texts: string
  /** The script that runs before the first paint. */
  early: string
  /** The font that the first paint needs. */
  font: string
  screens: readonly FirstScreen[]
  files: readonly string[]
}

/** A screen whose code and data are loaded along with the shell. */
interface FirstScreen {
  /** Its address: `/s/:space/p/:page`. */
  pattern: string
  /** The addresses of its data, with the names of the pattern. */
  data: readonly string[]
  files: readonly string[]
  /** Whether the font waits for its code, which is large. */
  isLarge: boolean
  /** Whether it shows rendered texts. */
  hasTexts: boolean
}

const FILES = '/~desk/'
const SESSION = '/v1/session'
/** The first segments of the app's addresses. */
const SCREENS = /^\/(?:$|(?:sign-in|start|invite|inbox|new|settings|suggest|o|collections|s|sites)(?:\/|$))/
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

/** For files that come after the shell and the data of the screen. */
const LOW = ' fetchpriority="low"'
const preload = (name: string, more = ''): string => `<link rel="modulepreload" href="${FILES}${name}"${more}>`

/** The parts of the page that depend on the request. */
interface Given {
  nonce: string
  sample: string | null
  first: First
}

const html = (
  { script, imports, style, texts, early, font }: Manifest,
  { nonce, sample, first }: Given,
): string => `<!doctype html>
<html lang="en" data-early="${escaped(first.data.join(' '))}" data-texts="${FILES}${texts}"${sample === null ? '' : ` data-sample="${escaped(sample)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Bindery</title>
<script src="${FILES}${early}"></script>
<link rel="stylesheet" href="${FILES}${style}" nonce="${nonce}">${first.hasTexts ? `\n<link rel="stylesheet" href="${FILES}${texts}">` : ''}
<script type="module" src="${FILES}${script}"></script>
${[...imports.map((name) => preload(name)), ...first.files.map((name) => preload(name, LOW))].join('\n')}
${first.isLarge ? '' : `<link rel="preload" href="${FILES}${font}" as="font" type="font/woff2" crossorigin${LOW}>`}
</head>
<body>
<div id="app"></div>
<noscript>Bindery's app needs JavaScript. <a href="/docs">The API reference</a></noscript>
</body>
</html>
`

/** The code and the data of the screen at a path. */
type First = Omit<FirstScreen, 'pattern'>

/** Returns a function that finds what the screen at a path loads. Data of screens after the sign-in needs a session. */
function firstScreens(screens: readonly FirstScreen[]): (path: string, hasSession: boolean) => First {
  const known = screens.map(({ pattern, ...rest }) => ({
    address: new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[\\w-]+)')}$`),
    ...rest,
  }))
  return (path, hasSession) => {
    for (const { address, data, ...rest } of known) {
      const found = address.exec(path)
      if (!found) continue
      const own = data.map((one) => one.replaceAll(/:(\w+)/g, (_, name) => found.groups?.[name] ?? ''))
      return { ...rest, data: [SESSION, ...(hasSession ? own : [])] }
    }
    return { files: [], data: [SESSION], isLarge: false, hasTexts: false }
  }
}

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
  const firstOf = firstScreens(manifest.screens)
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
      const first = firstOf(ctx.path, hasSession(ctx.req.headers))
      ctx.body = html(manifest, { nonce, sample: await sample(), first })
    },
  }
  return (path) => files.get(path) ?? (SCREENS.test(path) ? app : null)
}

/** The name of a file contains the hash of its content, so browsers may cache it forever. */
function assetFor(file: URL, name: string): Page {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const brotli = () => readFile(new URL(`${file.href}.br`)).catch(() => null)
  return asset('desk', FILES + name, type, () => readFile(file), { brotli })
}
