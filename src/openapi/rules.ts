/** The rules that the library checks, and exceptions where it rejects valid OpenAPI. */
import { type Config, createConfig, type NormalizedProblem, type Plugin } from '@redocly/openapi-core'

type Types = Parameters<NonNullable<NonNullable<Plugin['typeExtension']>['oas3']>>[0]

/**
 * Exceptions to the library's types. From 3.1 on, a schema may have members that the library does not know (OpenAPI
 * 3.1, 4.8.24: "additional properties MAY omit the `x-` prefix"), such as `nullable` of 3.0. From 3.2 on, a response
 * needs no description (OpenAPI 3.2, "Response Object"). In 2.0, the schema of a response may have the type `file`
 * (Swagger 2.0, "Response Object").
 */
const exceptions: Plugin = {
  id: 'allowing',
  typeExtension: {
    oas3: (types, version) => {
      if (String(version) === 'oas3_0') return types
      const open = withSchema(types, (schema) => ({ ...schema, additionalProperties: null }))
      return String(version) === 'oas3_1' || !open.Response
        ? open
        : { ...open, Response: { ...open.Response, required: [] } }
    },
    oas2: (types) =>
      withSchema(types, (schema) => {
        const type = schema.properties.type as { enum: string[] }
        return { ...schema, properties: { ...schema.properties, type: { ...type, enum: [...type.enum, 'file'] } } }
      }),
  },
}

function withSchema(types: Types, changed: (schema: Types[string]) => object): Types {
  return types.Schema ? { ...types, Schema: changed(types.Schema) as Types[string] } : types
}

/** Returns the settings of the library. It checks structure and references, but not style. */
export const rules = (): Promise<Config> =>
  createConfig({ plugins: [exceptions], rules: { struct: 'error', 'no-unresolved-refs': 'error' } })

/**
 * Whether a problem is an external example that cannot be fetched. It stays a link and does not make the specification
 * invalid.
 */
const isExternalExample = ({ location: [place], ruleId }: NormalizedProblem): boolean =>
  ruleId === 'no-unresolved-refs' && place?.pointer !== undefined && /\/examples\/[^/]+$/.test(place.pointer)

/**
 * Whether a problem is a boolean schema. From 3.1 on, `true` or `false` is a valid schema (JSON Schema 2020-12, 4.3.2).
 * The library accepts it only in some places, and never through a reference. The problem is identified by its text; a
 * test verifies that the library still uses it.
 */
const isBooleanSchema = ({ ruleId, message }: NormalizedProblem): boolean =>
  ruleId === 'struct' && message === 'Expected type `Schema` (object) but got `boolean`'

/** Returns the problems that make a specification of this version invalid. */
export function refusing(problems: readonly NormalizedProblem[], version: string): NormalizedProblem[] {
  const takesBooleans = !/^(?:2|3\.0)/.test(version)
  return problems.filter(
    (one) => one.severity === 'error' && !isExternalExample(one) && !(takesBooleans && isBooleanSchema(one)),
  )
}
