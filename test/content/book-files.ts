/** Small repositories in the layouts of HonKit and mdBook. */

/**
 * mdBook: prefix and suffix chapters, parts, a draft, a separator, CRLF in one page, `types.md` with pages in
 * `types/`.
 */
export const MDBOOK: Record<string, string> = {
  'book.toml':
    '[book]\ntitle = "The Acme Book"\nauthors = ["Ada"]\nlanguage = "en"\n\n[output.html]\ndefault-theme = "rust"\n',
  'Cargo.toml': '[workspace]\nmembers = []\n',
  'README.md': '# acme\n\nRun `mdbook serve`.\n',
  'src/SUMMARY.md': `# Summary

[Introduction](introduction.md) [Foreword](./foreword.md)

# User Guide

- [Installation](guide/installation.md)
- [Reading Books](guide/reading.md)
    - [Types](types.md)
        - [Booleans](types/boolean.md)
    - [Coming soon]()

---

# Reference

<!-- * [Hidden](hidden.md) -->
1. [Command Line](cli/README.md)
2. [Format](format.md)

-----------

[Contributors](misc/contributors.md)
[Licence](misc/licence.md)
`,
  'src/introduction.md': '# Introduction\n\nWelcome. See [types](types.md#top).\n',
  'src/foreword.md': 'No heading here.\n',
  'src/guide/installation.md': '# Installation\r\n\r\n{{#include ../../Cargo.toml}}\r\n',
  'src/guide/reading.md': '# Reading Books\n',
  'src/types.md': '# Types\n',
  'src/types/boolean.md': '# Booleans\n',
  'src/cli/README.md': '# The `acme` command\n',
  'src/format.md': '# Format\n',
  'src/misc/contributors.md': '# Contributors\n',
  'src/misc/licence.md': '# Licence\n',
  'src/images/logo.svg': '<svg/>\n',
}

/** HonKit: the book below `root`, other names of its files, a glossary, parts. */
export const HONKIT: Record<string, string> = {
  'package.json': '{"scripts": {"build": "honkit build"}}\n',
  'book.json':
    '{\n\t"title": "Acme",\n\t"root": "./docs",\n\t"structure": {\n\t\t"readme": "INTRO.md",\n\t\t"summary": "TOC.md",\n\t\t"glossary": "TERMS.md"\n\t},\n\t"plugins": ["-search"]\n}\n',
  'README.md': '# acme\n',
  'docs/INTRO.md': '# Hello\n',
  'docs/TOC.md':
    '# Summary\n\n### Part I\n\n* [Start here](INTRO.md)\n* [Writing](part1/README.md)\n  * [Commas](part1/commas.md)\n\n### Part II\n\n* [Feedback](part2/feedback.md)\n',
  'docs/TERMS.md': '## Comma\nA sign.\n',
  'docs/part1/README.md': '# Writing is nice\n',
  'docs/part1/commas.md': '# Commas\n',
  'docs/part2/feedback.md': 'Write to us.\n',
}
