/** Completes links to pages, anchors and files, reusable content, variables, tags and the names of the format's blocks. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Schemas } from '../api/client.js'
import { asTarget, relativePath, type Targets } from './targets.js'

type Apply = Exclude<Completion['apply'], undefined>

const flat = (
  pages: readonly Schemas['Page'][],
  above: readonly string[] = [],
): { page: Schemas['Page']; above: readonly string[] }[] =>
  pages.flatMap((page) => [{ page, above }, ...flat(page.pages, [...above, page.title])])

const none = async <T>(list: Promise<readonly T[]>): Promise<readonly T[]> => list.catch(() => [])

/** Inserts a target, and puts the caret after the closing parenthesis. */
const applied = (target: string): Apply =>
  function apply(view, _completion, from, to) {
    const closes = view.state.sliceDoc(to, to + 1) === ')'
    view.dispatch({
      changes: { from, to, insert: closes ? target : `${target})` },
      selection: { anchor: from + target.length + 1 },
      userEvent: 'input.complete',
    })
  }

async function anchors(targets: Targets, typed: string, from: number): Promise<CompletionResult> {
  const [path = ''] = typed.split('#')
  const found = flat(await none(targets.pages())).find(
    ({ page }) => page.git && relativePath(targets.path, page.git.path) === path.replace(/^</, ''),
  )
  const headings = path === '' || found ? await none(targets.headings(path === '' ? null : (found?.page ?? null))) : []
  return {
    from: from + path.length + 1,
    options: headings.map(({ id, text }, at) => ({ label: text, detail: `#${id}`, boost: -at, apply: applied(id) })),
  }
}

async function links(context: CompletionContext, targets: Targets): Promise<CompletionResult | null> {
  const match = context.matchBefore(/\]\([^)\n]*$/)
  if (!match) return null
  const [from, typed] = [match.from + 2, match.text.slice(2)]
  if (/^[a-z]+:/i.test(typed)) return null
  if (typed.includes('#')) return anchors(targets, typed, from)
  const [pages, files] = await Promise.all([none(targets.pages()), none(targets.files())])
  const options = [
    ...flat(pages).flatMap(({ page, above }): Completion[] => {
      if (!page.git) return []
      const path = asTarget(relativePath(targets.path, page.git.path))
      return [{ label: page.title, detail: above.join(' › ') || path, apply: applied(path), boost: 1 }]
    }),
    ...files.flatMap((file): Completion[] => {
      const path = file.git?.path
      return path === undefined
        ? []
        : [{ label: file.name, detail: path, apply: applied(asTarget(relativePath(targets.path, path))) }]
    }),
  ]
  return { from, options, validFor: /^[^)#\n]*$/ }
}

async function includes(context: CompletionContext, targets: Targets): Promise<CompletionResult | null> {
  const match = context.matchBefore(/\{%-?\s*include\s+"[^"\n]*$/)
  if (!match) return null
  const { reusableContents } = await targets.revision()
  return {
    from: match.from + match.text.indexOf('"') + 1,
    options: reusableContents.flatMap(({ title, git }) =>
      git ? [{ label: title, detail: git.path, apply: relativePath(targets.path, git.path) }] : [],
    ),
    validFor: /^[^"\n]*$/,
  }
}

async function variables(context: CompletionContext, targets: Targets): Promise<CompletionResult | null> {
  const match = context.matchBefore(/\bspace\.vars\.[\w-]*$/)
  if (!match) return null
  const found = await targets.revision()
  return {
    from: match.from + 'space.vars.'.length,
    options: Object.entries(found.variables ?? {}).map(([name, value]) => ({ label: name, detail: value })),
    validFor: /^[\w-]*$/,
  }
}

const MAX_FRONT_MATTER = 65_000

/** The tags of the space, in the list of tags of the front matter. */
async function tags(context: CompletionContext, targets: Targets): Promise<CompletionResult | null> {
  const match = context.matchBefore(/^(?:tags:\s*\[(?:[^\]\n]*,)?\s*|\s*-\s+)[\w-]*$/)
  if (!match || context.pos > MAX_FRONT_MATTER) return null
  const before = context.state.sliceDoc(0, context.pos)
  const isInside = before.startsWith('---\n') && !/\n---[ \t]*\n/.test(before)
  const isItem = match.text.startsWith('tags:') || /\ntags:[ \t]*\n(?:\s*-[^\n]*\n)*[^\n]*$/.test(before)
  if (!isInside || !isItem) return null
  const found = await targets.revision()
  return {
    from: match.from + match.text.search(/[\w-]*$/),
    options: found.tags.map(({ slug, label }) => ({ label: slug, detail: label })),
    validFor: /^[\w-]*$/,
  }
}

/** The names of the format's blocks; those with an end tag are written with it. */
const TAGS: Readonly<Record<string, string>> = {
  hint: ' style="info"',
  tabs: '',
  tab: ' title=""',
  stepper: '',
  step: '',
  columns: '',
  column: '',
  code: ' title=""',
  'content-ref': ' url=""',
  updates: '',
  update: ' date=""',
  if: '',
}
const SINGLE_TAGS: Readonly<Record<string, string>> = { embed: ' url=""', file: ' src=""', include: ' ""' }

function blockTags(context: CompletionContext): CompletionResult | null {
  const match = context.matchBefore(/^\s*\{%\s*[\w-]*$/)
  if (!match) return null
  const start = match.from + match.text.indexOf('{%')
  const apply = (text: string): Apply =>
    function insert(view, _completion, _from, to) {
      // The closing bracket was typed with the opening one.
      const end = view.state.sliceDoc(to, to + 1) === '}' ? to + 1 : to
      view.dispatch({
        changes: { from: start, to: end, insert: text },
        selection: { anchor: start + text.indexOf('%}') + 2 },
        userEvent: 'input.complete',
      })
    }
  return {
    from: match.from + match.text.search(/[\w-]*$/),
    options: [
      ...Object.entries(TAGS).map(([name, rest]) => ({
        label: name,
        apply: apply(`{% ${name}${rest} %}\n\n{% end${name} %}`),
      })),
      ...Object.entries(SINGLE_TAGS).map(([name, rest]) => ({ label: name, apply: apply(`{% ${name}${rest} %}`) })),
    ],
    validFor: /^[\w-]*$/,
  }
}

/** Returns the completions at a position. At most one kind of list fits a position. */
export async function complete(context: CompletionContext, targets: Targets): Promise<CompletionResult | null> {
  const sources = [links, includes, variables, tags, blockTags]
  for (const source of sources) {
    const found = await source(context, targets)
    if (found) return found
  }
  return null
}
