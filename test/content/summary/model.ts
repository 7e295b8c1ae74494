import fc from 'fast-check'
import { parseSummary } from '../../../src/content/summary/parse.js'
import type { SummaryNode } from '../../../src/content/types.js'

/** The attributes that an edit of a table of contents may change, without positions. */
export interface Model {
  type: SummaryNode['type']
  title: string
  href: string | null
  children: Model[]
}

const strip = ({ type, title, href, children }: SummaryNode): Model => ({
  type,
  title,
  href,
  children: children.map(strip),
})
export const modelOf = (text: string): Model[] => parseSummary(text).nodes.map(strip)

/** Paths of all nodes, in order. */
export const paths = (nodes: readonly Model[]): number[][] =>
  nodes.flatMap((node, i) => [[i], ...paths(node.children).map((path) => [i, ...path])])

export function at(nodes: readonly Model[], path: readonly number[]): Model {
  const [first, ...rest] = path
  const node = nodes[first!]!
  return rest.length === 0 ? node : at(node.children, rest)
}

type Style = { bullet: string; unit: string; eol: string; lead: string; tail: boolean; bom: boolean; blanks: boolean }
type Part = { level: number; kind: number; name: number }

const style: fc.Arbitrary<Style> = fc.record({
  bullet: fc.constantFrom('*', '-', '+', '1.'),
  unit: fc.constantFrom('  ', '    ', '\t'),
  eol: fc.constantFrom('\n', '\r\n'),
  lead: fc.constantFrom('', ' '),
  tail: fc.boolean(),
  bom: fc.boolean(),
  blanks: fc.boolean(),
})
const part: fc.Arbitrary<Part> = fc.record({ level: fc.nat(3), kind: fc.nat(15), name: fc.nat(30) })

/** Tables of contents in the usual styles, one style per file. */
export const summaryText: fc.Arbitrary<string> = fc
  .tuple(style, fc.array(part, { maxLength: 12 }))
  .map(([how, parts]) => {
    const unit = how.bullet === '1.' && how.unit === '  ' ? '   ' : how.unit
    const lines = ['# Table of contents', '']
    let depth = -1
    for (const [i, { level, kind, name }] of parts.entries()) {
      if (kind === 0 || kind === 1) {
        lines.push('', kind === 0 ? `## Group ${name}` : `### G${name} <a href="#g${i}" id="g${i}"></a>`, '')
        depth = -1
        continue
      }
      if (kind === 2) {
        lines.push('', '***', '')
        depth = -1
        continue
      }
      depth = Math.min(level, depth + 1)
      const indent = (depth === 0 || unit !== '\t' ? how.lead : '') + unit.repeat(depth)
      const inner = indent.replace(/\t/g, '    ') + ' '.repeat(how.bullet.length + 1)
      if (kind === 3) lines.push(`${indent}${how.bullet} \`\`\`yaml`, `${inner}type: builtin:x${i}`, `${inner}\`\`\``)
      else if (kind === 4) lines.push(`${indent}${how.bullet} Plain ${i}`)
      else if (kind === 5) lines.push(`${indent}${how.bullet} [Spaced ${i}](<dir/a ${i} (1).md> "Link title")`)
      else lines.push(`${indent}${how.bullet} [Title ${i}](dir/p${i}.md)`)
      if (how.blanks && kind === 6) lines.push('')
    }
    const text = lines.join(how.eol).replace(/^/, how.bom ? '\ufeff' : '')
    return how.tail ? text + how.eol : text
  })
