import { relativeTarget, rewriteReferences } from './edit/rewrite-references.js'
import { resolveReference } from './resolve-reference.js'
import type { ContentStructure } from './types.js'
import type { TextWork } from './work/text-work.js'

/** What a page is evaluated with. */
interface EvaluationContext {
  structure: ContentStructure
  /** The page's own variables. */
  pageVariables: Readonly<Record<string, string>>
  /** Whether the repository has a file at a path from its root. */
  exists: (gitPath: string) => boolean
  /** The text of a reusable content file, without its front matter; null if it cannot be read. */
  readIncluded: (gitPath: string) => Promise<string | null>
  work: Pick<TextWork, 'references' | 'codeSpans'>
}

/** How deep includes may be nested. Deeper ones, and a file that includes itself, are left as written. */
const MAX_DEPTH = 8
/** Most includes, and most characters, that evaluation may add to a page. Further ones are left as written. */
const MAX_INCLUDES = 500
const MAX_GROWTH = 1024 * 1024

interface Budget {
  includes: number
  characters: number
}

const EXPRESSION = /<code\s+class="expression">\s*(space|page)\.vars\.([\w-]+)\s*<\/code>/g

/**
 * Fills reusable content and variables into a page's markdown. `{% include "path" %}` becomes the text of that file, with its
 * links made relative to the page; `<code class="expression">space.vars.x</code>` (or `page.vars.x`) becomes the value. An unknown
 * file or variable, and any other expression, is left as written.
 * @param gitPath the page's file, from the repository's root
 */
export async function evaluateMarkdown(markdown: string, gitPath: string, context: EvaluationContext): Promise<string> {
  const budget = { includes: MAX_INCLUDES, characters: MAX_GROWTH }
  return fillVariables(await fillIncludes(markdown, context, [gitPath], budget), context, budget)
}

/** @param open the file that `markdown` is from, last, and the files that include it */
async function fillIncludes(markdown: string, context: EvaluationContext, open: readonly string[], budget: Budget): Promise<string> {
  if (!markdown.includes('{%') || open.length > MAX_DEPTH) return markdown
  const { structure, exists } = context
  const gitPath = open.at(-1) as string
  let done = ''
  let at = 0
  for (const reference of await context.work.references(markdown)) {
    if (reference.kind !== 'include') continue
    const start = markdown.lastIndexOf('{%', reference.start)
    const end = markdown.indexOf('%}', reference.end) + 2
    const named = resolveReference(reference.target, gitPath, structure, exists)
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

/** Indents all lines but the first as far as the tag was. */
const indented = (text: string, margin: string): string => (/^[ \t]+$/.test(margin) ? text.replace(/\n(?=[^\n])/g, `\n${margin}`) : text)

/** Rewrites the relative targets in markdown of the file `from`, so that they are right in the file `to`. */
async function moved(markdown: string, from: string, to: string, { structure, exists, work }: EvaluationContext): Promise<string> {
  const replacements = (await work.references(markdown)).flatMap(({ target, start, end }) => {
    const named = resolveReference(target, from, structure, exists)
    if ((named.kind !== 'file' && named.kind !== 'page') || target.startsWith('/')) return []
    return [{ start, end, target: relativeTarget(to, named.gitPath) + (named.anchor === undefined ? '' : `#${named.anchor}`) }]
  })
  return rewriteReferences(markdown, replacements)
}

async function fillVariables(markdown: string, { structure, pageVariables, work }: EvaluationContext, budget: Budget): Promise<string> {
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

/** Takes a text's length from the budget; false if that has too little left. */
function spend(budget: Budget, text: string): boolean {
  if (text.length > budget.characters) return false
  budget.characters -= text.length
  return true
}

/** Escapes a value, so that none of its characters is read as markup. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>{}|~&]/g, '\\$&').replace(/\s+/g, ' ')
