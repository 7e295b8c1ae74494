// Edits the front matter of a page.
import { required } from '../../kernel/defined.js'
import { MAX_FRONT_MATTER } from '../front-matter.js'
import { setYamlKey, YamlEditError } from './yaml.js'

/** A page's front matter block. Offsets are UTF-16 units. */
interface FrontMatterBlock {
  /** The offset of `---` (after a byte order mark). */
  start: number
  /** The YAML between the two lines of dashes. */
  yamlStart: number
  yamlEnd: number
  /** The offset of the line after the closing dashes. */
  end: number
}

/** Finds the block at the start of the text. Returns null if it is missing or not closed. */
export function findFrontMatterBlock(text: string): FrontMatterBlock | null {
  const opening = /^[\ufeff\u200b]*(---[ \t]*(?:\r\n|\n|\r))/.exec(text)
  if (!opening) return null
  const yamlStart = opening[0].length
  const closing = /^---[ \t]*(?:\r\n|\n|\r|$(?![\s\S]))/gm
  closing.lastIndex = yamlStart
  const found = closing.exec(text)
  return (
    found && {
      start: yamlStart - required(opening[1]).length,
      yamlStart,
      yamlEnd: found.index,
      end: found.index + found[0].length,
    }
  )
}

/**
 * Sets keys of the front matter, or removes them (`undefined`). `layout.title.visible` is a nested key. All other lines
 * keep their bytes. The block is added if it is missing, and removed with its last key. If a value is changed and then
 * restored, its old bytes are restored as well, provided that it was absent or a scalar on one line and the other value
 * needed no other quotes.
 * @throws YamlEditError if the block is not a valid map or is too long
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
  const lead = required(/^\ufeff?/.exec(text))[0]
  return `${lead}---${eol}${yaml}---${eol}${eol}${text.slice(lead.length)}`
}

/** Splits a key with dots into a path, unless the block has a key with exactly that name (from another tool). */
const pathOf = (key: string, yaml: string): string[] =>
  yaml.split(/\r?\n/).some((line) => line.startsWith(`${key}:`)) ? [key] : key.split('.')

/**
 * Replaces the body with `markdown`. The front matter block keeps its bytes, unless `markdown` starts with another
 * block, which replaces it. A byte order mark is preserved.
 */
export function replaceBody(text: string, markdown: string): string {
  const body = markdown.replace(/^\ufeff/, '')
  if (findFrontMatterBlock(body)) return (text.startsWith('\ufeff') ? '\ufeff' : '') + body
  const block = findFrontMatterBlock(text)
  if (!block) return (text.startsWith('\ufeff') ? '\ufeff' : '') + body
  const head = text.slice(0, block.end)
  return body === '' || /[\r\n]$/.test(head) ? head + body : `${head}\n${body}`
}
