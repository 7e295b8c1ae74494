// Edits the front matter of a page.
import { MAX_FRONT_MATTER } from '../front-matter.js'
import { setYamlKey, YamlEditError } from './yaml.js'

/** Edits of a page's front matter and body that keep all other bytes. */

/** A page's front matter block. Offsets are UTF-16 units. */
interface FrontMatterBlock {
  /** Where `---` begins (after a byte order mark). */
  start: number
  /** The YAML between the two lines of dashes. */
  yamlStart: number
  yamlEnd: number
  /** Where the line after the closing dashes begins. */
  end: number
}

/** The block at the beginning of the text; null if there is none, or if it is not closed. */
export function findFrontMatterBlock(text: string): FrontMatterBlock | null {
  const opening = /^[\ufeff\u200b]*(---[ \t]*(?:\r\n|\n|\r))/.exec(text)
  if (!opening) return null
  const yamlStart = opening[0].length
  const closing = /^---[ \t]*(?:\r\n|\n|\r|$(?![\s\S]))/gm
  closing.lastIndex = yamlStart
  const found = closing.exec(text)
  return (
    found && {
      start: yamlStart - opening[1]!.length,
      yamlStart,
      yamlEnd: found.index,
      end: found.index + found[0].length,
    }
  )
}

/**
 * Sets (or, with `undefined`, removes) keys of the front matter; `layout.title.visible` is a nested one. All other lines keep their
 * bytes. The block is added if there is none, and removed with its last key. If a value is changed and then restored, it has its old
 * bytes again, provided it was absent or a scalar on one line and the other value needed no other quotes.
 * @throws YamlEditError if the block is not a valid map, or is too long
 */
export function setFrontMatter(text: string, changes: Readonly<Record<string, unknown>>): string {
  const block = findFrontMatterBlock(text)
  const old = block ? text.slice(block.yamlStart, block.yamlEnd) : ''
  if (old.length > MAX_FRONT_MATTER)
    throw new YamlEditError(
      `The front matter has ${old.length} characters; at most ${MAX_FRONT_MATTER} are read. Shorten it by editing the page's text.`,
    )
  const eol = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  let yaml = old
  for (const [key, value] of Object.entries(changes)) yaml = setYamlKey(yaml, pathOf(key, yaml), value)
  if (yaml === old) return text
  if (old === '') yaml = yaml.replace(/\r?\n/g, eol)
  if (block && yaml.trim() === '')
    return text.slice(0, block.start) + text.slice(block.end).replace(/^[ \t]*(?:\r\n|\n)/, '')
  if (block) return text.slice(0, block.yamlStart) + yaml + text.slice(block.yamlEnd)
  const lead = /^\ufeff?/.exec(text)![0]
  return `${lead}---${eol}${yaml}---${eol}${eol}${text.slice(lead.length)}`
}

/** A key with dots is a path, unless the block has a key of exactly that name (from another tool). */
const pathOf = (key: string, yaml: string): string[] =>
  yaml.split(/\r?\n/).some((line) => line.startsWith(`${key}:`)) ? [key] : key.split('.')

/**
 * Replaces the body with `markdown`. The front matter block keeps its bytes, unless `markdown` begins with a block of its own, which
 * replaces it. A byte order mark stays.
 */
export function replaceBody(text: string, markdown: string): string {
  const put = markdown.replace(/^\ufeff/, '')
  if (findFrontMatterBlock(put)) return (text.startsWith('\ufeff') ? '\ufeff' : '') + put
  const block = findFrontMatterBlock(text)
  if (!block) return (text.startsWith('\ufeff') ? '\ufeff' : '') + put
  const head = text.slice(0, block.end)
  return put === '' || /[\r\n]$/.test(head) ? head + put : `${head}\n${put}`
}
