import { relativeTarget, rewriteReferences } from './edit/rewrite-references.js'
import { resolveReference } from './resolve-reference.js'
import type { ContentStructure } from './types.js'
import type { TextWork } from './work/text-work.js'

/** What a page is evaluated with. */
export interface Surroundings {
  structure: ContentStructure
  /** The page's own variables. */
  pageVariables: Readonly<Record<string, string>>
  /** Whether the repository has a file at a path from its root. */
  exists: (gitPath: string) => boolean
  /** Text, without front matter, of a piece of reusable content; null where it cannot be read. */
  readIncluded: (gitPath: string) => Promise<string | null>
  work: Pick<TextWork, 'references' | 'codeSpans'>
}

/** Pieces within pieces; a piece that includes itself is left as it is written. */
const MAX_DEPTH = 8
/** Pieces, and characters, that evaluation may add to a page: what would multiply beyond them stays as it is written. */
const MAX_PIECES = 500
const MAX_GROWTH = 1024 * 1024

interface Budget {
  pieces: number
  characters: number
}

const EXPRESSION = /<code\s+class="expression">\s*(space|page)\.vars\.([\w-]+)\s*<\/code>/g

/**
 * A page's markdown with reusable content and variables filled in: `{% include "path" %}` becomes the text it names, its
 * links relative to the page; `<code class="expression">space.vars.x</code>` (and `page.vars.x`) becomes the value. What
 * names nothing, and every other expression, stays as it is written.
 * @param gitPath the page's file, from the repository's root
 */
export async function evaluateMarkdown(markdown: string, gitPath: string, surroundings: Surroundings): Promise<string> {
  const budget = { pieces: MAX_PIECES, characters: MAX_GROWTH }
  return fillVariables(await fillIncludes(markdown, gitPath, surroundings, [gitPath], budget), surroundings, budget)
}

async function fillIncludes(markdown: string, gitPath: string, around: Surroundings, open: readonly string[], budget: Budget): Promise<string> {
  if (!markdown.includes('{%') || open.length > MAX_DEPTH) return markdown
  const { structure, exists } = around
  let done = ''
  let at = 0
  for (const reference of await around.work.references(markdown)) {
    if (reference.kind !== 'include') continue
    const start = markdown.lastIndexOf('{%', reference.start)
    const end = markdown.indexOf('%}', reference.end) + 2
    const named = resolveReference(reference.target, gitPath, structure, exists)
    const piece = named.kind === 'file' ? named.gitPath : null
    if (piece === null || open.includes(piece) || budget.pieces-- <= 0) continue
    const text = await around.readIncluded(piece)
    if (text === null || !take(budget, text)) continue
    const inner = await fillIncludes(text.trim(), piece, around, [...open, piece], budget)
    const margin = /[^\r\n]*$/.exec(markdown.slice(at, start))?.[0] ?? ''
    done += markdown.slice(at, start) + indented(await moved(inner, piece, gitPath, around), margin)
    at = end
  }
  return done + markdown.slice(at)
}

/** The lines behind the first, as far in as the tag stands. */
const indented = (text: string, margin: string): string => (/^[ \t]+$/.test(margin) ? text.replace(/\n(?=[^\n])/g, `\n${margin}`) : text)

/** `markdown` of the file `from` as it reads in the file `to`: relative targets lead where they led. */
async function moved(markdown: string, from: string, to: string, { structure, exists, work }: Surroundings): Promise<string> {
  const replacements = (await work.references(markdown)).flatMap(({ target, start, end }) => {
    const named = resolveReference(target, from, structure, exists)
    if ((named.kind !== 'file' && named.kind !== 'page') || target.startsWith('/')) return []
    return [{ start, end, target: relativeTarget(to, named.gitPath) + (named.anchor === undefined ? '' : `#${named.anchor}`) }]
  })
  return rewriteReferences(markdown, replacements)
}

async function fillVariables(markdown: string, { structure, pageVariables, work }: Surroundings, budget: Budget): Promise<string> {
  if (!markdown.includes('class="expression"')) return markdown
  const code = await work.codeSpans(markdown)
  let next = 0
  return markdown.replace(EXPRESSION, (written, scope: string, name: string, offset: number) => {
    while (next < code.length && (code[next]?.[1] ?? 0) <= offset) next++
    const inCode = (code[next]?.[0] ?? markdown.length) <= offset
    const variables = scope === 'page' ? pageVariables : structure.variables
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    return value === undefined || inCode || !take(budget, value) ? written : escaped(value)
  })
}

/** Whether the budget has room for a text, which is then used. */
function take(budget: Budget, text: string): boolean {
  if (text.length > budget.characters) return false
  budget.characters -= text.length
  return true
}

/** A value as markdown text: none of its characters begins markup. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>{}|~&]/g, '\\$&').replace(/\s+/g, ' ')
