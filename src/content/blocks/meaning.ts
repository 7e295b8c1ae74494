/** Compares block trees by their meaning. */
import type { BlockNode, DocumentNode } from '../types.js'
import { isEmptyParagraph } from './print-block.js'
import type { Inline } from './node.js'
import { ownMember } from '../../kernel/guards.js'

type Node = BlockNode | Inline

/** Members of `data` that are derived from other members or only describe how the source is written. */
const DERIVED = new Set([
  ...[
    'position',
    'tag',
    'attributes',
    'html',
    'format',
    'meta',
    'tight',
    'reference',
    'legacy',
    'dialect',
    'records',
    'definition',
    'positional',
  ],
  ...['caption', 'src', 'refDark', 'url', 'page'],
])
const VERBATIM = new Set(['code', 'math', 'html', 'raw'])

const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'url' in value && 'kind' in value ? value.url : value

function data(node: Exclude<Node, { object: 'text' }>): unknown {
  const skip = (name: string) =>
    DERIVED.has(name) ||
    (name === 'title' && (node.type === 'expandable' || node.type === 'image')) ||
    (name === 'formula' && node.object === 'block')
  const kept = Object.entries(node.data).filter(
    ([name, value]) => !skip(name) && value !== undefined && value !== null && value !== '' && value !== false,
  )
  return kept.map(([name, value]) => [name, plain(value)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/**
 * Returns the text of a link whose text is its address. GFM links such an address wherever it is written. Returns null
 * for other nodes.
 */
function addressIn(node: Node): Extract<Inline, { object: 'text' }> | null {
  if (node.object !== 'inline' || node.type !== 'link' || node.data['title'] !== undefined || node.nodes.length !== 1)
    return null
  const [only] = node.nodes
  const written = only?.object === 'text' ? only.leaves.map((leaf) => leaf.text).join('') : ''
  const url = ownMember(node.data['ref'], 'url')
  return only?.object === 'text' &&
    /^(?:https?:\/\/|www\.)|@/i.test(written) &&
    [written, `http://${written}`, `mailto:${written}`].includes(String(url))
    ? only
    : null
}

function meaning(nodes: readonly Node[], verbatim: boolean): unknown[] {
  const out: unknown[] = []
  let leaves: Array<[marks: string, text: string]> = []
  const flush = () => {
    // The file determines the line ends that are written, whatever the client sent.
    const read = (value: string): string => (verbatim ? value.replace(/\r\n?/g, '\n') : value.replace(/\s+/g, ' '))
    const text = leaves
      .map(([marks, value]): [string, string] => [marks, read(value)])
      .filter(([, value]) => value !== '')
    const joined: Array<[string, string]> = []
    for (const [marks, value] of text) {
      const last = joined.at(-1)
      if (last && last[0] === marks) last[1] = `${last[1]}${value}`
      else joined.push([marks, value])
    }
    if (joined.length > 0) out.push(joined)
    leaves = []
  }
  for (const node of nodes) {
    const plainText = node.object === 'text' ? node : addressIn(node)
    if (plainText)
      leaves.push(
        ...plainText.leaves.map((leaf): [string, string] => [
          JSON.stringify(leaf.marks.map((mark) => [mark.type, mark.data])),
          leaf.text,
        ]),
      )
    else if (node.object !== 'text' && !isEmptyParagraph(node)) {
      flush()
      const inner = meaning(node.nodes, node.object === 'block' && VERBATIM.has(node.type))
      out.push(node.type === 'hard-break' ? node.type : [node.type, data(node), inner])
    }
  }
  flush()
  return out
}

/**
 * Returns the meaning of a tree, regardless of how it is written: types, texts with marks, targets and options. Two
 * trees with the same meaning look the same to a reader.
 */
export const meaningOf = (document: DocumentNode): string => JSON.stringify(meaning(document.nodes, false))

/** Returns everything in a node except keys and positions, for comparison. */
export const fingerprint = (node: BlockNode | Inline | DocumentNode): string =>
  JSON.stringify(node, (name, value: unknown) =>
    name === 'key' || name === 'isVoid' || name === 'position' ? undefined : value,
  )
