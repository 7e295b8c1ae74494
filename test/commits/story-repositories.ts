/** Small repositories as people write them, for stories of edits. */
import type { Files } from '../support/bare-repository.js'
import { HONKIT, MDBOOK } from '../content/book-files.js'

const HOME = `---
description: Start here
---

# Home {#home}

See [the guide](guide/), [setup](guide/setup.md#first-step), [the API](./api/README.md) and <a href="guide/setup.md">setup again</a>.

| Page | What |
| ---- | ---- |
| [Setup](guide/setup.md) | how to **begin** |
| [Usage](/guide/usage.md "Usage") | and go on |

![logo](.gitbook/assets/logo.png)
`
const PAGES = {
  'README.md': HOME,
  'guide/README.md': '# Guide\n\n[home](..) [setup](setup) [usage][u] [self](./)\n\n[u]: usage.md\n',
  'guide/setup.md': `# Setup { #top .wide }

## First step {: #first-step }

1. Install *it*.
2. Go to [usage](usage.md).

<table><thead><tr><th>Name</th><th>Use</th></tr></thead><tbody>
<tr><td>one</td><td><ul><li>first</li><li>second</li></ul></td></tr>
<tr><td>two</td><td><a href="../api/README.md">API</a></td></tr>
</tbody></table>

See ~~old~~ [the API](../api/README.md#calls) and the [home page](../README.md).
`,
  'guide/usage.md':
    '# Usage\n\n* a  \n  hard break\n* b\n\n> A quote with [setup](../guide/setup.md#first-step).\n\n```js\nconst x = "[no](link.md)"\n```\n',
  'api/README.md':
    'API\n===\n\nCalls\n-----\n\nText of _calls_, [usage](../guide/usage.md).\n\n***\n\n{% hint style="info" %}\nBack to [home](../README.md#home).\n{% endhint %}\n',
  '.gitbook/assets/logo.png': 'png',
}
const SUMMARY = `# Table of contents

* [Home](README.md)

## Learn <a href="#learn" id="learn"></a>

* [Guide](guide/README.md)
  * [Setup](guide/setup.md "set up")
  * [Usage & more](./guide/usage.md)

## Look up

- [API](api/README.md)
- [Site](https://example.org)
`

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
const withCrlf = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      typeof text === 'string' && path.endsWith('.md') ? text.replaceAll('\n', '\r\n') : text,
    ]),
  )

export const REPOSITORIES: Record<string, Files> = {
  'of GitBook': {
    '.gitbook.yaml': 'root: ./docs/\n',
    'README.md': '# Sources\n',
    ...below('docs', { ...PAGES, 'SUMMARY.md': SUMMARY }),
  },
  'of GitBook with CRLF': withCrlf({ ...PAGES, 'SUMMARY.md': SUMMARY }),
  'of mdBook': MDBOOK,
  'of HonKit': HONKIT,
  'without a table of contents': {
    ...PAGES,
    'guide/More_Things/1. one.md': 'Nothing but text.\n',
    'guide/More_Things/deep/two.md': '# Two\n\n[one](<../1. one.md>)\n',
  },
  'whose table of contents is a symbolic link': {
    '.gitbook.yaml': 'root: docs\n',
    'toc.md': SUMMARY,
    ...below('docs', { ...PAGES, 'SUMMARY.md': { link: '../toc.md' } }),
  },
  'with summary.md and readme.md': {
    'book.json': '{}',
    'readme.md': PAGES['guide/README.md'].replace('(..)', '(./)'),
    'summary.md':
      '# Summary\n\n* [Start](readme.md)\n* [Setup](setup.md)\n* [Usage](usage.md)\n    + [Other](sub/other.md)\n',
    'setup.md': '# Setup\n\n[start](readme.md) [other](sub/other.md)\n',
    'usage.md': PAGES['guide/usage.md'].replace('../guide/', ''),
    'sub/other.md': '# Other\n\n[start](../readme.md) [usage](../usage.md)\n',
  },
}
