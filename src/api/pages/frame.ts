/** The frame and the style sheet of the web pages next to the API. They load nothing from other hosts. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from '../pipeline/page.js'
import { asset, fixed } from './asset.js'

const STYLE = '/pages/style.css'
const FONT = '/pages/ibm-plex-sans.woff2'
const FONT_FILE = '@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2'

const CSS = `@font-face { font-family: Plex; src: url(${FONT}) format('woff2'); font-weight: 100 700; font-display: optional }
:root {
  color-scheme: light dark;
  --paper: light-dark(#fff, #0f1216); --paper-2: light-dark(#f5f7fb, #151a20); --line: light-dark(#d9dee6, #2b323b);
  --line-strong: light-dark(#7a838f, #68727e); --ink: light-dark(#1c2129, #dde3ea); --ink-2: light-dark(#454d57, #a8b1bc);
  --accent: light-dark(#185abd, #7fb0f5); --fill: #185abd; --fill-hover: #124a9e;
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; background: var(--paper); color: var(--ink);
  font: 16px/1.55 Plex, system-ui, sans-serif; -webkit-text-size-adjust: 100% }
main { width: 100%; max-width: 33rem; margin: auto; padding: 3rem 1.5rem 4rem }
.brand { display: inline-flex; align-items: center; gap: .6rem; margin-bottom: 2.5rem; color: var(--ink); font-weight: 600; text-decoration: none }
.brand svg { width: 22px; height: 22px; fill: var(--fill) }
.brand path { stroke: #fff; stroke-width: 1.8; stroke-linecap: round; stroke-dasharray: 2.4 3.2; fill: none }
h1 { margin: 0 0 .75rem; font-size: 2rem; line-height: 1.18; font-weight: 600; letter-spacing: -.012em; text-wrap: balance }
p { margin: 0 0 1rem; color: var(--ink-2); text-wrap: pretty }
code { font-size: .9em; padding: .1em .3em; border-radius: 4px; background: var(--paper-2) }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 5px }
.links { list-style: none; margin: 2rem 0 0; padding: 0; }
.links a { display: block; margin: 0 -.75rem; padding: .9rem .75rem; border-top: 1px solid var(--line); color: inherit; text-decoration: none }
.links a:hover { background: var(--paper-2) }
.links strong { display: block; font-weight: 600; color: var(--accent) }
.links span { color: var(--ink-2); font-size: .94rem }
form { margin-top: 1.75rem }
label { display: block; color: var(--ink); font-size: .94rem; font-weight: 500 }
input { display: block; width: 100%; height: 2.5rem; margin-top: .35rem; padding: 0 .75rem; border: 1px solid var(--line-strong);
  border-radius: 5px; background: var(--paper); color: var(--ink); font: inherit }
button { min-height: 2.5rem; padding: .4rem 1.25rem; border: 0; border-radius: 5px; background: var(--fill); color: #fff; font: inherit;
  font-weight: 600; cursor: pointer }
button:hover { background: var(--fill-hover) }
output { display: block; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper-2);
  color: var(--ink); font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; user-select: all }
[hidden], p:empty, p:has(> output:empty) { display: none }
`

const MARK =
  '<svg viewBox="0 0 22 22" aria-hidden="true"><rect x="2" y="1" width="18" height="20" rx="3"/><path d="M7 4.5v13"/></svg>'

/** The content of a page. */
interface PageContent {
  title: string
  /** HTML below the title. */
  body: string
  /** Path of a script. */
  script?: string
}

/** Returns the HTML of a page. */
export const framed = ({ title, body, script }: PageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Bindery</title>
<link rel="preload" href="${FONT}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${STYLE}">
</head>
<body>
<main>
<a class="brand" href="/">${MARK} Bindery</a>
<h1>${title}</h1>
${body}
</main>
${script === undefined ? '' : `<noscript>This page needs JavaScript.</noscript>\n<script src="${script}"></script>\n`}</body>
</html>
`

/** Returns the files that all framed pages load. */
export function framePages(): Page[] {
  const font = createRequire(import.meta.url).resolve(FONT_FILE)
  return [
    asset('pages', STYLE, 'text/css; charset=utf-8', fixed(CSS)),
    asset('pages', FONT, 'font/woff2', () => readFile(font)),
  ]
}
