// Evaluates a page: fills in included content, variables, and parts of specifications.
import { required } from '../kernel/defined.js'
import { relativeTarget, rewriteReferences } from './edit/rewrite-references.js'
import type { ResolvedReference } from './resolve-reference.js'
import { type NamedPart, readNamedPart } from './specs/named-part.js'
import type { ContentStructure } from './types.js'
import type { TextWork } from './work/text-work.js'

/** The inputs for evaluating a page. */
interface EvaluationContext {
  structure: ContentStructure
  /** The page's own variables. */
  pageVariables: Readonly<Record<string, string>>
  /** Resolves a target that is written in a file. */
  resolve: (target: string, fromGitPath: string) => Promise<ResolvedReference>
  /** Returns the text of a reusable content file, without its front matter; null if it cannot be read. */
  readIncluded: (gitPath: string) => Promise<string | null>
  /**
   * Returns the text of a part of a specification; null if there is no such part. Absent: blocks that name parts are
   * left as written.
   */
  readPart?: (part: NamedPart) => Promise<string | null>
  work: Pick<TextWork, 'references' | 'codeSpans'>
}

/** Maximum nesting of includes. Deeper ones, and a file that includes itself, are left as written. */
const MAX_DEPTH = 8
/** Maximum number of blocks per page that are filled with parts of specifications. */
const MAX_PARTS = 100
/** Maximum number of includes and characters that evaluation may add to a page. Further ones are left as written. */
const MAX_INCLUDES = 500
const MAX_GROWTH = 1024 * 1024

interface Budget {
  includes: number
  characters: number
}

const EXPRESSION = /<code\s+class="expression">\s*(space|page)\.vars\.([\w-]+)\s*<\/code>/g

/**
 * Fills reusable content and variables into a page's markdown. `{% include "path" %}` becomes the text of that file,
 * with its links made relative to the page. `<code class="expression">space.vars.x</code>` (or `page.vars.x`) becomes
 * the value. An unknown file or variable, and any other expression, is left as written.
 * @param gitPath the page's file, from the repository's root
 */
export async function evaluateMarkdown(markdown: string, gitPath: string, context: EvaluationContext): Promise<string> {
  const budget = { includes: MAX_INCLUDES, characters: MAX_GROWTH }
  const filled = await fillVariables(await fillIncludes(markdown, context, [gitPath], budget), context, budget)
  // Fill the parts last, so that nothing in a specification is taken for an include or a variable.
  return fillParts(filled, context, budget)
}

/** A block that names a part of a specification. */
const PART = /\{%-?\s*(openapi|swagger)(-\w+)?\s+([^\r\n]*?)\s*-?%\}/g

/** Fills blocks that name parts of specifications. The parts replace the content between their tags. */
async function fillParts(markdown: string, { readPart, work }: EvaluationContext, budget: Budget): Promise<string> {
  if (!readPart || !markdown.includes('{%')) return markdown
  const references = (await work.references(markdown)).filter(
    ({ kind }) => kind === 'specification' || kind === 'openapi',
  )
  let done = ''
  let at = 0
  for (const { start } of references.slice(0, MAX_PARTS)) {
    PART.lastIndex = markdown.lastIndexOf('{%', start)
    const [tag, name = '', more = '', body = ''] = PART.exec(markdown) ?? []
    const part = tag === undefined ? null : readNamedPart(name + more, body)
    const from = PART.lastIndex
    const text = part && from > at ? await readPart(part) : null
    if (text === null || tag === undefined || !spend(budget, text)) continue
    const margin = /[^\r\n]*$/.exec(markdown.slice(0, from - tag.length))?.[0] ?? ''
    const end = endOfBlock(markdown, name + more, from)
    const inner = `\n${text.trimEnd()}\n{% end${name}${more} %}`
    done += markdown.slice(at, from) + indented(inner, margin)
    at = end
  }
  return done + markdown.slice(at)
}

/** Returns the end of a block whose first tag ends at `from`: the end of its end tag, or `from` if it has none. */
function endOfBlock(markdown: string, name: string, from: number): number {
  const next = new RegExp(`\\{%-?\\s*(end)?${name}(?![\\w-])[^\\r\\n]*?%\\}`, 'g')
  next.lastIndex = from
  const found = next.exec(markdown)
  return found?.[1] === 'end' ? next.lastIndex : from
}

/** @param open the chain of including files; the last one is the file that contains `markdown` */
async function fillIncludes(
  markdown: string,
  context: EvaluationContext,
  open: readonly string[],
  budget: Budget,
): Promise<string> {
  if (!markdown.includes('{%') || open.length > MAX_DEPTH) return markdown
  const gitPath = required(open.at(-1))
  let done = ''
  let at = 0
  for (const reference of await context.work.references(markdown)) {
    if (reference.kind !== 'include') continue
    const start = markdown.lastIndexOf('{%', reference.start)
    const end = markdown.indexOf('%}', reference.end) + 2
    const named = await context.resolve(reference.target, gitPath)
    const included = named.kind === 'file' ? named.gitPath : null
    if (included === null || open.includes(included) || budget.includes-- <= 0) continue
    const text = await context.readIncluded(included)
    if (text === null || !spend(budget, text)) continue
    const inner = await fillIncludes(text.trim(), context, [...open, included], budget)
    const margin = /[^\r\n]*$/.exec(markdown.slice(at, start))?.[0] ?? ''
    done += markdown.slice(at, start) + indented(await moved(inner, included, gitPath, context), margin)
    at = end
  }
  return done + markdown.slice(at)
}

/** Indents all lines except the first by the indentation of the tag. */
const indented = (text: string, margin: string): string =>
  /^[ \t]+$/.test(margin) ? text.replace(/\n(?=[^\n])/g, `\n${margin}`) : text

/** Rewrites the relative targets in markdown from the file `from`, so that they are correct in the file `to`. */
async function moved(
  markdown: string,
  from: string,
  to: string,
  { resolve, work }: EvaluationContext,
): Promise<string> {
  const replacements: { start: number; end: number; target: string }[] = []
  for (const { target, start, end } of await work.references(markdown)) {
    const named = await resolve(target, from)
    if ((named.kind !== 'file' && named.kind !== 'page') || target.startsWith('/')) continue
    const anchor = named.anchor === undefined ? '' : `#${named.anchor}`
    replacements.push({ start, end, target: relativeTarget(to, named.gitPath) + anchor })
  }
  return rewriteReferences(markdown, replacements)
}

async function fillVariables(
  markdown: string,
  { structure, pageVariables, work }: EvaluationContext,
  budget: Budget,
): Promise<string> {
  if (!markdown.includes('class="expression"')) return markdown
  const code = await work.codeSpans(markdown)
  let next = 0
  return markdown.replace(EXPRESSION, (written, scope: string, name: string, offset: number) => {
    while (next < code.length && (code[next]?.[1] ?? 0) <= offset) next++
    const inCode = (code[next]?.[0] ?? markdown.length) <= offset
    const variables = scope === 'page' ? pageVariables : structure.variables
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    return value === undefined || inCode || !spend(budget, value) ? written : escaped(value)
  })
}

/** Subtracts a text's length from the budget. Returns false if too little is left. */
function spend(budget: Budget, text: string): boolean {
  if (text.length > budget.characters) return false
  budget.characters -= text.length
  return true
}

/** Escapes a value so that none of its characters is parsed as markup. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>{}|~&]/g, '\\$&').replace(/\s+/g, ' ')
