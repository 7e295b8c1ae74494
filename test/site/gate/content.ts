/** The files of a space, as an author writes them. */
import type { Asset, Included, Page, Space } from './world.js'

/** A word that every text has, so that a search for it must find exactly what a visitor may find. */
export const COMMON = 'zebrafish'

export const fileOf = (space: Space, page: Page): string => (page === space.pages[0] ? 'README.md' : `${page.slug}.md`)

export const includeFile = ({ name }: Included): string => `.gitbook/includes/${name}.md`
export const assetFile = ({ name }: Asset): string => `.gitbook/assets/${name}.txt`

/** A version of the files: the pages whose text has its blocks with a condition, and the last line of all pages. */
export interface Version {
  edited: readonly Page[]
  mark: string
}

export function filesOf(space: Space, version?: Version): Record<string, string> {
  const files: Record<string, string> = { 'SUMMARY.md': summaryOf(space) }
  for (const page of space.pages)
    if (!page.draft && !page.gone) files[fileOf(space, page)] = markdownOf(space, page, version)
  for (const one of space.includes)
    files[includeFile(one)] =
      `---\ntitle: ${one.title}\n---\n\nShared ${one.word}.\n\n${one.blocks.map(blockOf).join('')}`
  for (const one of space.files) files[assetFile(one)] = `Content of ${one.words[0]}.\n`
  if (space.variables.length > 0)
    files['.gitbook/vars.yaml'] = space.variables.map(({ name, word }) => `${name}: Value ${word}\n`).join('')
  files['.gitbook.yaml'] =
    `root: ./\n${space.redirects.length > 0 ? 'redirects:\n' : ''}` +
    space.redirects
      .filter(({ to }) => !to.gone)
      .map(({ word, to }) => `  old/${word}: ./${fileOf(space, to)}\n`)
      .join('')
  return files
}

function summaryOf(space: Space): string {
  const lines = ['# Table of contents', '']
  const add = (page: Page, indent: string): void => {
    if (page.gone) return
    lines.push(`${indent}* [${page.title}](${page.draft ? '' : target(space, page)})`)
    for (const below of page.below) add(below, `${indent}  `)
  }
  const add0 = (group: Page['group']) => {
    for (const page of space.pages) if (page.above === null && page.group === group) add(page, '')
  }
  add0(null)
  for (const link of space.links) if (!link.to?.gone) lines.push(`* [${link.title}](<${link.url}>)`)
  for (const group of space.groups) {
    lines.push('', `## ${group.title} <a href="#${group.slug}" id="${group.slug}"></a>`, '')
    add0(group)
  }
  return `${lines.join('\n')}\n`
}

const target = (space: Space, page: Page): string => `<${fileOf(space, page)}>`
const blockOf = ({ condition, word }: { condition: { text: string }; word: string }): string =>
  `{% if ${condition.text} %}\nOnly for some: ${word}.\n{% endif %}\n\n`

export function frontMatterOf(page: Page): string {
  const [, , , description] = page.words
  const lines = [
    `description: About ${description}`,
    `internal: ${page.secrets[0]}`,
    ...(page.hidden ? ['hidden: true'] : []),
    ...(page.noIndex ? ['noIndex: true'] : []),
    // YAML takes an unquoted `!` for the start of a tag.
    ...(page.condition ? [`if: ${page.condition.text.replace(/^!.*/s, (text) => JSON.stringify(text))}`] : []),
    ...(page.unreadable ? ['hidden: perhaps'] : []),
  ]
  return `---\n${lines.join('\n')}\n---\n\n`
}

export function markdownOf(
  space: Space,
  page: Page,
  { edited, mark }: Version = { edited: space.pages, mark: 'Later.' },
): string {
  const [, , heading, , section, text] = page.words
  return [
    `${frontMatterOf(page)}# ${heading}`,
    `${COMMON} text ${text}.`,
    `<!-- ${page.secrets[1]} -->`,
    `## ${section}`,
    ...(edited.includes(page) ? page.blocks : []).map((one) => blockOf(one).trim()),
    ...page.links.filter(({ gone }) => !gone).flatMap((to, at) => linkOf(space, to, at)),
    ...proposalsOf(space, page)
      .filter(({ merged }) => merged)
      .map(({ word }) => `Proposed ${word}.`),
    ...page.includes.map((one) => `{% include "${includeFile(one)}" %}`),
    ...page.variables.map(({ name }) => `Value: <code class="expression">space.vars.${name}</code>.`),
    ...page.files.map((one, at) =>
      at % 2 === 0 ? `{% file src="${assetFile(one)}" %}` : `[download](${assetFile(one)})`,
    ),
    mark,
  ].join('\n\n')
}

const proposalsOf = (space: Space, page: Page): Space['proposals'] => space.proposals.filter((one) => one.page === page)

/** A link in each of the forms in which editors write them. Most of them contain the name of the file. */
function linkOf(space: Space, to: Page, at: number): string[] {
  const file = fileOf(space, to)
  switch ((at + space.pages.indexOf(to)) % 5) {
    case 0:
      return [`See [more](<${file}>) about it.`]
    case 1:
      return [`{% content-ref url="${file}" %}\n[${file}](<${file}>)\n{% endcontent-ref %}`]
    case 2:
      return [`Mentioned: [${file}](<${file}> "mention").`]
    case 3:
      return [
        `<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>A card</td><td><a href="${file}">${file}</a></td></tr></tbody></table>`,
      ]
    default:
      return [`{% page-ref page="${file}" %}`]
  }
}
