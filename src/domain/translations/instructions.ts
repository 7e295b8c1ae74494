/** Reads the instructions of a translation, a block tree whose text engines receive. */
import { SCHEMA_VERSION } from '../../content/blocks/parse.js'
import { badRequest } from '../../kernel/errors.js'
import type { Instructions, InstructionsInput } from '../../model/index.js'
import { isRecord } from '../../kernel/guards.js'

const MAX_LENGTH = 10_000
const MAX_NODES = 10_000

/** Returns the text of the instructions, with one line for each block that contains text. */
export function textOf(instructions: Pick<Instructions, 'nodes'> | undefined): string {
  const lines: string[] = []
  let nodes = 0
  let line = ''
  const pending: unknown[] = [...(instructions?.nodes ?? [])].reverse()
  const flush = (): void => {
    if (line.trim() !== '') lines.push(line.trim())
    line = ''
  }
  for (let node = pending.pop(); node !== undefined && nodes < MAX_NODES; node = pending.pop(), nodes++) {
    if (!isRecord(node)) continue
    const { object, text, leaves, nodes: inner } = node
    if (object === 'block') flush()
    if (typeof text === 'string') line += text
    for (const list of [inner, leaves]) if (Array.isArray(list)) pending.push(...list.slice(0, MAX_NODES).reverse())
  }
  flush()
  return lines.join('\n')
}

/** Validates the instructions and returns them with the schema version. Throws 400 if they are too long. */
export function readInstructions(instructions: InstructionsInput): Instructions {
  if (JSON.stringify(instructions).length > 20 * MAX_LENGTH || textOf(instructions).length > MAX_LENGTH)
    throw badRequest(`The instructions have more than ${MAX_LENGTH} characters. Shorten them.`, [
      { path: '/instructions', message: `must have at most ${MAX_LENGTH} characters of text` },
    ])
  return { ...instructions, data: { schemaVersion: SCHEMA_VERSION, ...instructions.data } }
}
