import { TextTooCostly, type TextWork } from './work/text-work.js'
import type { LineColumn, YamlResult } from './yaml.js'

export type { LineColumn }

/** YAML, read. What is too costly is told as YAML that cannot be read. */
export async function yamlOf(work: Pick<TextWork, 'yaml'>, text: string): Promise<YamlResult> {
  try {
    return await work.yaml(text)
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return { ok: false, message: error.message.replace(/^It/, 'it').replace(/\.$/, ''), place: { line: 1, column: 1 } }
  }
}
