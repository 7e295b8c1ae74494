/** Shows short texts that the API returns as block trees: descriptions and comments. They are text nodes, never HTML. */
import type { ComponentChildren } from 'preact'

interface Node {
  object: string
  type?: string
  nodes?: Node[]
  leaves?: { text: string; marks: { type: string }[] }[]
  data?: Record<string, unknown>
}

const MARKS = { bold: 'b', italic: 'em', code: 'code', strikethrough: 's', keyboard: 'kbd' } as const
const BLOCKS: Readonly<Record<string, 'p' | 'blockquote' | 'ul' | 'ol' | 'li'>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  'list-unordered': 'ul',
  'list-tasks': 'ul',
  'list-ordered': 'ol',
  'list-item': 'li',
}
const FOLLOWED = /^(?:https?|mailto):/i

/** Renders a block tree. */
export const TreeText = ({ tree }: { tree: unknown }) => <>{drawAll((tree as Node | null)?.nodes ?? [])}</>

const drawAll = (nodes: readonly Node[]): ComponentChildren => nodes.map((node, at) => <Part key={at} node={node} />)

function Part({ node }: { node: Node }) {
  if (node.object === 'text') return <>{node.leaves?.map(({ text, marks }) => marked(text, marks))}</>
  const { type = '', nodes = [] } = node
  if (type === 'hard-break') return <br />
  if (type === 'code')
    return (
      <pre>
        <code>{plainText(node)}</code>
      </pre>
    )
  if (type === 'link') {
    const url = String((node.data?.ref as { url?: string } | undefined)?.url ?? '')
    return FOLLOWED.test(url) ? (
      <a href={url} rel="noopener">
        {drawAll(nodes)}
      </a>
    ) : (
      drawAll(nodes)
    )
  }
  if (node.object !== 'block') return <>{drawAll(nodes)}</>
  const Tag = BLOCKS[type] ?? 'p'
  return <Tag>{drawAll(nodes)}</Tag>
}

function marked(text: string, marks: readonly { type: string }[]): ComponentChildren {
  let shown: ComponentChildren = text
  for (const { type } of marks.toReversed()) {
    const Tag = MARKS[type as keyof typeof MARKS]
    if (Tag) shown = <Tag>{shown}</Tag>
  }
  return shown
}

/** Returns the text of a block tree. */
export function plainText(tree: unknown): string {
  const { nodes = [], leaves = [] } = (tree ?? {}) as Node
  return leaves.map(({ text }) => text).join('') + nodes.map(plainText).join(' ')
}
