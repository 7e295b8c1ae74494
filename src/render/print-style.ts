/** The style of printed books. */
import { required } from '../kernel/defined.js'

const FONTS = `"IBM Plex Sans","Noto Sans Arabic","Noto Sans Hebrew","Noto Sans SC Variable","Noto Sans KR Variable","Noto Sans Devanagari","Noto Sans Thai","STIX Two Math",sans-serif`
const MONO = `"IBM Plex Mono","Noto Sans SC Variable","Noto Sans KR Variable","Noto Sans Arabic",monospace`

/** Returns a text as a CSS string. */
export const cssText = (text: string): string =>
  `"${text.replace(/[^\p{L}\p{N} .,:;!?()-]/gu, (char) => `\\${required(char.codePointAt(0)).toString(16)} `)}"`

/** The style sheet. `[[first-page]]` becomes the number of the document's first page. */
export const PRINT_STYLE = `
@page { size: A4; margin: 22mm 20mm 20mm; }
* { box-sizing: border-box; }
html { font: 10pt/1.5 ${FONTS}; color: #1c1e21; -webkit-print-color-adjust: exact; }
body { margin: 0; overflow-wrap: anywhere; }
a { color: #1f5fbf; text-decoration: none; }
a.mention, a.button { font-weight: 600; }
.button + .button { margin-inline-start: 1.2em; }
.broken-link { color: inherit; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; break-after: avoid; margin: 1.5em 0 .5em; font-weight: 600; }
h1 { font-size: 19pt; } h2 { font-size: 14.5pt; } h3 { font-size: 12pt; } h4, h5, h6 { font-size: 10.5pt; }
.page-title { font-size: 22pt; margin: 0 0 .5em; }
.sub > .page-title { font-size: 18pt; }
.group-title { font-size: 11pt; letter-spacing: .04em; color: #5a6069; margin: 0 0 1.5em; padding-bottom: .4em; border-bottom: 2px solid #d0d4da; }
.lead { font-size: 11.5pt; color: #5a6069; margin: 0 0 1.2em; }
.chapter { break-before: page; }
.sheet + .sheet { break-before: page; } .sheet + .sheet.sub { break-before: auto; margin-top: 2.4em; padding-top: 1.6em; border-top: 1px solid #d9dce1; }
p, ul, ol, table, figure, .code-block, .hint, .card, .columns, details, blockquote, .tab, .images { margin: 0 0 .8em; }
p { orphans: 3; widows: 3; }
li > p:last-child, .hint > :last-child, .tab-body > :last-child, details > :last-child, blockquote > :last-child, .column > :last-child { margin-bottom: 0; }
ul, ol { padding-inline-start: 1.6em; } li { margin: .15em 0; } li > ul, li > ol { margin: .15em 0; }
ul.tasks { list-style: none; padding-inline-start: .2em; } input { margin: 0; vertical-align: -1px; }
hr { border: 0; border-top: 1px solid #d9dce1; margin: 1.5em 0; }
blockquote { border-inline-start: 3px solid #d0d4da; padding-inline-start: 1em; color: #4b5158; margin-inline: 0; }
code, pre, kbd, samp { font-family: ${MONO}; font-size: .87em; }
:not(pre) > code { background: #f1f3f5; border-radius: 3px; padding: .08em .3em; }
a > code { color: inherit; }
kbd { border: 1px solid #c6cbd1; border-radius: 3px; padding: 0 .35em; }
pre { margin: 0; padding: .7em .9em; background: #f6f7f9; border: 1px solid #e3e6ea; border-radius: 4px; white-space: pre-wrap; tab-size: 4; line-height: 1.4; }
pre code { font-size: 8.3pt; }
.code-title { font: 600 8.5pt ${MONO}; margin: 0; padding: .3em .9em; background: #e9ecf0; border-radius: 4px 4px 0 0; break-after: avoid; }
.numbered code { counter-reset: line; } .numbered .line { counter-increment: line; display: block; padding-inline-start: 3em; text-indent: -3em; }
.numbered .line::before { content: counter(line); display: inline-block; width: 2.2em; margin-inline-end: .8em; text-indent: 0; text-align: end; color: #656d76; }
.hint { border: 1px solid; border-inline-start-width: 4px; border-radius: 4px; padding: .7em .9em; break-inside: auto; }
.hint.info { border-color: #7eaee8; background: #f1f7fe; } .hint.success { border-color: #6fbf8b; background: #f0faf4; }
.hint.warning { border-color: #e0b04f; background: #fef9ec; } .hint.danger { border-color: #e08a85; background: #fef3f2; }
.tabs { margin: 0 0 .8em; } .tab { border: 1px solid #dfe2e7; border-radius: 4px; }
.tab-title { margin: 0; padding: .35em .9em; font-weight: 600; background: #f1f3f5; border-bottom: 1px solid #dfe2e7; break-after: avoid; }
.tab-body { padding: .7em .9em; }
details { border: 1px solid #dfe2e7; border-radius: 4px; padding: .6em .9em; } summary { font-weight: 600; list-style: none; margin-bottom: .4em; break-after: avoid; }
.stepper { list-style: none; counter-reset: step; padding: 0; } .stepper > li { counter-increment: step; position: relative; padding-inline-start: 2.6em; border-inline-start: 1px solid #dfe2e7; margin: 0 0 0 .8em; padding-bottom: .6em; }
.stepper > li::before { content: counter(step); position: absolute; inset-inline-start: -.85em; top: -.1em; width: 1.7em; height: 1.7em; line-height: 1.7em; border-radius: 50%; background: #e9ecf0; text-align: center; font-weight: 600; font-size: .9em; }
.stepper > li > :first-child { margin-top: 0; } .step-title { font-weight: 600; font-size: 11.5pt; margin: 0 0 .4em; break-after: avoid; }
.columns { display: flex; gap: 1.5em; } .column { flex: 1 1 0; min-width: 0; } .column[style] { flex-grow: 0; }
table { border-collapse: collapse; width: 100%; font-size: 9pt; } thead { display: table-header-group; } tr { break-inside: avoid; }
th, td { border: 1px solid #dfe2e7; padding: .35em .6em; text-align: start; vertical-align: top; } th { background: #f4f5f7; font-weight: 600; }
[align=center] { text-align: center; } [align=right] { text-align: right; } [align=left] { text-align: left; }
.cards { display: grid; grid-template-columns: 1fr 1fr; gap: .9em; margin: 0 0 .9em; } .card { border: 1px solid #dfe2e7; border-radius: 5px; padding: .6em .9em; break-inside: avoid; }
.card > p, .card-text { margin: 0; } .card-cover img { max-height: 38mm; display: block; margin: 0 auto .5em; } .card-title { font-weight: 600; } .card-link { font-size: 9pt; }
.caption, figcaption { font-size: 8.7pt; color: #5a6069; text-align: center; } .card .caption { text-align: start; }
img { max-width: 100%; max-height: 215mm; height: auto; vertical-align: middle; } img.in-line { max-height: 1.3em; }
figure { margin: 0; break-inside: avoid; } .images { display: flex; flex-wrap: wrap; gap: .8em; } .images.center { justify-content: center; } .images.right { justify-content: flex-end; } .images figure { max-width: 100%; }
.missing-picture { display: inline-block; border: 1px dashed #b9bfc7; border-radius: 3px; padding: .15em .5em; font-size: 8.7pt; color: #5a6069; }
.math { font-size: 1.08em; } div.math { text-align: center; margin: 0 0 .8em; } math { font-family: "STIX Two Math",math; font-size: 1.1em; }
.math-error { color: #a3352e; }
.source { white-space: pre-wrap; } .page > :first-child { margin-top: 0; }
.method { font: 600 8.5pt ${MONO}; color: #fff; background: #5a6069; border-radius: 3px; padding: .15em .5em; }
.method.get { background: #2c6fbb; } .method.post { background: #237a4b; } .method.put, .method.patch { background: #9c6510; } .method.delete { background: #b23b33; }
.api { border: 1px solid #dfe2e7; border-radius: 4px; padding: .7em .9em; margin: 0 0 .8em; } .api-part { margin: .4em 0; } .part-name, .group-name, .operation-summary { margin: .3em 0; font-weight: 600; } .specification { font-size: 9pt; color: #5a6069; margin: 0; }
.update { border-top: 1px solid #dfe2e7; padding-top: .8em; } .update-date { font-weight: 600; color: #5a6069; }
.prompt { border: 1px solid #dfe2e7; border-radius: 4px; padding: .7em .9em; margin: 0 0 .8em; } .prompt-title { font-weight: 600; }
.footnotes { border-top: 1px solid #dfe2e7; margin-top: 1.5em; padding-top: .5em; font-size: 8.7pt; } .note-mark { font-size: .75em; }
.hljs-keyword, .hljs-selector-tag, .hljs-literal, .hljs-doctag { color: #a0348c; } .hljs-string, .hljs-regexp, .hljs-addition { color: #1a7a3c; } .hljs-comment, .hljs-quote { color: #656d76; }
.hljs-number, .hljs-symbol, .hljs-bullet, .hljs-meta { color: #9a5b00; } .hljs-title, .hljs-section, .hljs-name { color: #2257a8; } .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-template-variable, .hljs-property { color: #7b4310; }
.hljs-type, .hljs-built_in, .hljs-class { color: #0b6e78; } .hljs-deletion { color: #b23b33; }
.cover { height: 250mm; display: flex; flex-direction: column; justify-content: center; } .cover h1 { font-size: 34pt; margin: 0 0 .3em; } .cover .by { font-size: 14pt; color: #4b5158; margin: 0; } .cover .date { color: #5a6069; margin-top: 2em; }
.contents { break-before: page; } .contents h1 { margin-top: 0; } .contents ol { list-style: none; padding: 0; margin: 0; } .contents ol ol { padding-inline-start: 1.4em; }
.contents a, .contents .group { display: flex; align-items: baseline; color: inherit; gap: .5em; padding: .12em 0; break-inside: avoid; } .contents > ol > li > a, .contents .group { font-weight: 600; margin-top: .5em; }
.contents .group { break-after: avoid; } .contents .dots { flex: 1; border-bottom: 1px dotted #b9bfc7; min-width: 1em; } .contents .number { font-variant-numeric: tabular-nums; }
`
