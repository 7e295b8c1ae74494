/**
 * Prevents users' YAML and TOML from blocking the event loop: long texts are parsed in a thread, and costly ones count
 * as invalid.
 */
import { TextTooCostly, type TextWork } from './work/text-work.js'
import type { TomlResult } from './toml.js'
import type { YamlResult } from './yaml.js'
import type { LineColumn } from './yaml-entry.js'

export type { LineColumn }

/** Parses YAML, in a thread if it is long. If it is too costly, the result is the same as for invalid YAML. */
export const yamlOf = (work: Pick<TextWork, 'yaml'>, text: string): Promise<YamlResult> =>
  invalidIfCostly(work.yaml(text))

/** Parses TOML in the same way. */
export const tomlOf = (work: Pick<TextWork, 'toml'>, text: string): Promise<TomlResult> =>
  invalidIfCostly(work.toml(text))

async function invalidIfCostly<T>(
  parsed: Promise<T>,
): Promise<T | { ok: false; message: string; position: LineColumn }> {
  try {
    return await parsed
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return {
      ok: false,
      message: error.message.replace(/^It/, 'it').replace(/\.$/, ''),
      position: { line: 1, column: 1 },
    }
  }
}
