/** Compares the running text of two blocks by words, and joins both into one list with the changed words marked. */
import { diffArrays } from 'diff'
import { append, type Inline, inline, plainText, text } from '../blocks/node.js'
import { required } from '../../kernel/defined.js'
import type { InlineNode } from '../types.js'
import { spaced } from './digest.js'

/** The inline nodes that contain changed words in a joined text. */
export const INSERTED = 'inserted'
export const DELETED = 'deleted'

type Kind = 'equal' | typeof INSERTED | typeof DELETED

/** A word, white space, or a node without text. */
interface Token {
  /** Equal tokens have equal keys: the same text with the same marks within the same links. */
  key: string
  /** The token as a node. */
  node: Inline
  /** The inline nodes around it, outermost first. */
  around: readonly InlineNode[]
  isSpace: boolean
}
interface Step {
  kind: Kind
  token: Token
}

/** Maximum number of differing words in a text. Beyond that, the whole text counts as changed. */
const MAX_DIFFERENCES = 3_000
/** Maximum number of words in a text that is compared by words. */
const MAX_WORDS = 20_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The result of a comparison: both texts in one, and whether a word changed. */
export interface JoinedText {
  nodes: Inline[]
  isChanged: boolean
}

/**
 * Joins two texts. Returns null if they are too long, or differ in HTML that only works as a whole.
 * @param isVerbatim whether white space is part of the text
 */
export function joinText(before: readonly Inline[], after: readonly Inline[], isVerbatim = false): JoinedText | null {
  const [old, now] = [tokensOf(before, isVerbatim), tokensOf(after, isVerbatim)]
  const twins: Twins = new Map()
  if (old.length > MAX_WORDS || now.length > MAX_WORDS) return null
  const parts = diffArrays(
    old.map(({ key }) => key),
    now.map(({ key }) => key),
    { maxEditLength: MAX_DIFFERENCES },
  )
  if (!parts) return null
  const steps: Step[] = []
  let [left, right] = [0, 0]
  for (const { count = 0, removed, added } of parts)
    for (let at = 0; at < count; at++) {
      if (removed) steps.push({ kind: DELETED, token: required(old[left++]) })
      else if (added) steps.push({ kind: INSERTED, token: required(now[right++]) })
      else {
        const token = required(now[right++])
        for (const [depth, node] of required(old[left++]).around.entries())
          twins.set(node, required(token.around[depth]))
        steps.push({ kind: 'equal', token })
      }
    }
  const isHtml = ({ token: { node } }: Step): boolean => node.object === 'inline' && node.type === 'html-inline'
  if (steps.some((step) => step.kind !== 'equal' && isHtml(step))) return null
  return { nodes: joined(steps, twins), isChanged: steps.some(({ kind }) => kind !== 'equal') }
}

/**
 * Returns whether a text has changed, without marking its words. Reads the words only if the plain texts are equal or
 * have HTML. A text with more changes than `joinText` can show counts as changed.
 */
export function compareText(
  before: readonly Inline[],
  after: readonly Inline[],
  isVerbatim = false,
): JoinedText | null {
  const [old, now] = [plainText(before), plainText(after)]
  const isOther = isVerbatim ? old !== now : spaced(old) !== spaced(now)
  return isOther && !hasHtml(before) && !hasHtml(after)
    ? { nodes: [...after], isChanged: true }
    : joinText(before, after, isVerbatim)
}

const hasHtml = (nodes: readonly Inline[]): boolean =>
  nodes.some((node) => node.object === 'inline' && (node.type === 'html-inline' || hasHtml(node.nodes)))

/** Marks a whole text. */
export function markText(nodes: readonly Inline[], kind: typeof INSERTED | typeof DELETED): Inline[] {
  const steps = tokensOf(nodes)
  const isHtml = steps.some(({ node }) => node.object === 'inline' && node.type === 'html-inline')
  // HTML that opens and closes elements must not be split.
  if (isHtml) return nodes.length === 0 ? [] : [inline(kind, {}, [...nodes])]
  return joined(steps.map((token) => ({ kind, token })))
}

/** Returns the words, spaces and punctuation of a text. A colon separates words: `image:latest`. */
const wordsOf = (words: string): string[] =>
  [...segmenter.segment(words)].flatMap(({ segment }) => segment.split(/(:)/).filter((one) => one !== ''))

function tokensOf(nodes: readonly Inline[], isVerbatim = false, around: readonly InlineNode[] = []): Token[] {
  const prefix = around.map(({ type, data }) => JSON.stringify([type, data])).join('')
  return nodes.flatMap((node): Token[] => {
    if (node.object === 'text')
      return node.leaves.flatMap((leaf) => {
        const marks = JSON.stringify(leaf.marks.map(({ type, data }) => [type, data]))
        return wordsOf(leaf.text).map((segment) => ({
          key: `${prefix}${marks}${isVerbatim ? segment : spaced(segment)}`,
          node: text(segment, leaf.marks),
          around,
          isSpace: segment.trim() === '',
        }))
      })
    if (node.nodes.length > 0) return tokensOf(node.nodes, isVerbatim, [...around, node])
    return [{ key: `${prefix}${JSON.stringify([node.type, node.data])}`, node, around, isSpace: false }]
  })
}

/** Maps nodes of the old text around common words to the same nodes in the new text. */
type Twins = Map<InlineNode, InlineNode>

/** Joins words to nodes. Within a run of changes, the removed words come first. */
function joined(steps: readonly Step[], twins: Twins = new Map()): Inline[] {
  const root: Inline[] = []
  /** The nodes around the last word: the original and its copy in the result. */
  const open: { of: InlineNode; list: Inline[] }[] = []
  for (const { kind, token } of inRuns(steps)) {
    const around = token.around.map((node) => twins.get(node) ?? node)
    let depth = 0
    while (depth < open.length && open[depth]?.of === around[depth]) depth++
    open.length = depth
    for (const of of around.slice(depth)) {
      const nodes: Inline[] = []
      const copy = { ...of, nodes }
      listAt(root, open).push(copy)
      open.push({ of, list: copy.nodes })
    }
    const list = listAt(root, open)
    if (kind === 'equal') append(list, copyOf(token.node))
    else {
      const last = list.at(-1)
      const isSame = last?.object === 'inline' && last.type === kind
      const holder = isSame ? last : inline(kind, {}, [])
      if (!isSame) list.push(holder)
      holder.isVoid = false
      append(holder.nodes, copyOf(token.node))
    }
  }
  return root
}

/** `append` extends the texts that it is given. */
const copyOf = (node: Inline): Inline =>
  node.object === 'text' ? { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf })) } : node

const listAt = (root: Inline[], open: readonly { list: Inline[] }[]): Inline[] => open.at(-1)?.list ?? root

/** Orders the words of each run of changes. White space between two changes is part of the run. */
function inRuns(steps: readonly Step[]): Step[] {
  const out: Step[] = []
  let run: Step[] = []
  const close = (): void => {
    // White space at the end of the run did not change.
    const end = run.findLastIndex(({ kind }) => kind !== 'equal') + 1
    const [changed, rest] = [run.slice(0, end), run.slice(end)]
    const side = (kind: typeof INSERTED | typeof DELETED): Step[] =>
      changed.filter((step) => step.kind === kind || step.kind === 'equal').map(({ token }) => ({ kind, token }))
    const [deleted, inserted] = [side(DELETED), side(INSERTED)]
    const hasBoth = changed.some(({ kind }) => kind === DELETED) && changed.some(({ kind }) => kind === INSERTED)
    out.push(...(hasBoth ? [...deleted, ...inserted] : changed), ...rest)
    run = []
  }
  for (const step of steps) {
    if (step.kind === 'equal' && !(run.length > 0 && step.token.isSpace)) {
      close()
      out.push(step)
    } else run.push(step)
  }
  close()
  return out
}
