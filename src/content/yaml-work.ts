import { TextTooCostly, type TextWork } from './work/text-work.js'
import type { LineColumn, YamlResult } from './yaml.js'

export type { LineColumn }

/** Parses YAML in a thread if it is long. If that is too costly, the result is the same as for invalid YAML. */
export async function yamlOf(work: Pick<TextWork, 'yaml'>, text: string): Promise<YamlResult> {
  try {
    return await work.yaml(text)
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return { ok: false, message: error.message.replace(/^It/, 'it').replace(/\.$/, ''), position: { line: 1, column: 1 } }
  }
}
