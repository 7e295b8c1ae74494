/** What the library is to check, and what it would refuse although the specification of OpenAPI allows it. */
import { type Config, createConfig, type NormalizedProblem, type Plugin } from '@redocly/openapi-core'

type Types = Parameters<NonNullable<NonNullable<Plugin['typeExtension']>['oas3']>>[0]

/**
 * From 3.1 on, a schema may have members that the library does not know (OpenAPI 3.1, 4.8.24: "additional properties MAY omit the `x-` prefix"), such as
 * `nullable` of 3.0. From 3.2 on, a response needs no description (OpenAPI 3.2, "Response Object"). In 2.0, the schema of a response may have the type
 * `file` (Swagger 2.0, "Response Object").
 */
const allowing: Plugin = {
  id: 'allowing',
  typeExtension: {
    oas3: (types, version) => {
      if (String(version) === 'oas3_0') return types
      const open = withSchema(types, (schema) => ({ ...schema, additionalProperties: null }))
      return String(version) === 'oas3_1' || !open.Response
        ? open
        : { ...open, Response: { ...open.Response, required: [] } as Types[string] }
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

/** The settings of the library: form and references are checked, taste is not. */
export const rules = (): Promise<Config> =>
  createConfig({ plugins: [allowing], rules: { struct: 'error', 'no-unresolved-refs': 'error' } })

/** An example elsewhere that cannot be fetched is no reason to refuse a specification: it stays a link. */
const isExternalExample = ({ location: [place], ruleId }: NormalizedProblem): boolean =>
  ruleId === 'no-unresolved-refs' && place?.pointer !== undefined && /\/examples\/[^/]+$/.test(place.pointer)

/**
 * From 3.1 on a schema may be `true` or `false` wherever there can be one (JSON Schema 2020-12, 4.3.2). The library knows it of some places alone,
 * and of none that is reached by a reference: the problem is known by its text, to which a test holds the library.
 */
const isBooleanSchema = ({ ruleId, message }: NormalizedProblem): boolean =>
  ruleId === 'struct' && message === 'Expected type `Schema` (object) but got `boolean`'

/** The problems for which a specification of this version is refused. */
export function refusing(problems: readonly NormalizedProblem[], version: string): NormalizedProblem[] {
  const takesBooleans = !/^(?:2|3\.0)/.test(version)
  return problems.filter(
    (one) => one.severity === 'error' && !isExternalExample(one) && !(takesBooleans && isBooleanSchema(one)),
  )
}
