/** Converts a schema of a specification to blocks. */
import type { ShownProperty, ShownSchema } from '../../model/index.js'
import type { BlockNode } from '../types.js'
import { code, type Inline, italic, item, list, paragraph, words } from './nodes.js'
import { untrustedBlocks } from './stranger.js'

const CUT = {
  circle: 'It contains itself, and is shown further up.',
  deep: 'It is not shown any deeper.',
  long: 'It is not shown: there is too much to show.',
}
const CHOICE = { one: 'One of:', any: 'Any of:', all: 'All of:' }

/** Returns a line with name, type, required and facts. */
export function nameLine({ name, required, schema }: ShownProperty, more: readonly string[] = []): Inline[] {
  return [
    code(name),
    words(' '),
    ...factInlines([schema.type, ...(required ? ['required'] : []), ...more, ...(schema.facts ?? [])]),
  ]
}

/** Returns facts in a row, with their values as code. */
function factInlines(facts: readonly string[]): Inline[] {
  return facts.flatMap((fact, at) => {
    const [label = '', ...value] = fact.split(': ')
    const before = words(`${at > 0 ? ', ' : ''}${label}${value.length > 0 ? ': ' : ''}`)
    return value.length > 0 ? [before, code(value.join(': '))] : [before]
  })
}

/** Returns the blocks below a schema's type line. */
export function schemaBlocks({
  description,
  enum: values,
  left = 0,
  properties,
  inner,
  choice,
  cut,
}: ShownSchema): BlockNode[] {
  const more = (count: number): BlockNode[] =>
    count > 0 ? [paragraph(italic(`${count} more ${count === 1 ? 'is' : 'are'} not shown.`))] : []
  return [
    ...(description === undefined ? [] : untrustedBlocks(description)),
    ...(values
      ? [paragraph(words('Values: '), ...values.flatMap((one, at) => [...(at > 0 ? [words(', ')] : []), code(one)]))]
      : []),
    ...list((properties ?? []).map((one) => item(paragraph(...nameLine(one)), ...schemaBlocks(one.schema)))),
    ...(inner ? [paragraph(words('Each: '), ...typeLine(inner)), ...schemaBlocks(inner)] : []),
    ...(choice
      ? [
          paragraph(words(CHOICE[choice.of])),
          ...list(choice.schemas.map((one) => item(paragraph(...typeLine(one)), ...schemaBlocks(one)))),
        ]
      : []),
    ...more(left),
    ...(cut ? [paragraph(italic(CUT[cut]))] : []),
  ]
}

/** Returns the type of a schema, with its facts. */
export const typeLine = ({ type, facts = [] }: ShownSchema): Inline[] => factInlines([type, ...facts])
