// Reads the variables of a space.
import type { Diagnostic } from '../kernel/diagnostic.js'
import type { TextWork } from './work/text-work.js'
import { yamlOf } from './yaml-work.js'

/**
 * Reads a file of variables: a flat map of scalars, each kept as written (`1.10` stays `1.10`). A nested value or
 * invalid YAML gives a diagnostic. `file` is the path in diagnostics.
 */
export async function readVariables(
  work: Pick<TextWork, 'yaml'>,
  text: string,
  file: string,
): Promise<{ variables: Record<string, string>; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const report = (message: string, line: number, column: number): void =>
    void diagnostics.push({ code: 'invalid-yaml', message, file, line, column })
  const yaml = await yamlOf(work, text)
  if (!yaml.ok) {
    report(
      `${file} is not valid YAML (${yaml.message}), so it defines no variables. Correct it there.`,
      yaml.position.line,
      yaml.position.column,
    )
    return { variables: {}, diagnostics }
  }
  if (yaml.entries === null)
    report(
      `${file} must be a map from names to values, so it defines no variables. Write one "name: value" per line.`,
      1,
      1,
    )
  const found: Array<[string, string]> = []
  for (const { key, text: value, position } of yaml.entries ?? []) {
    if (value === null)
      report(
        `The variable ${JSON.stringify(key)} must be a string, number or boolean, so it is ignored. Correct its value.`,
        position.line,
        position.column,
      )
    else found.push([key, value])
  }
  return { variables: Object.fromEntries(found), diagnostics }
}
