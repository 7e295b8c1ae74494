// Collects the schemas of the endpoints as components of the OpenAPI document.
import type { JsonSchema } from './schema.js'
import { ownMember } from '../kernel/guards.js'

/** Options for rewriting schemas. */
interface BundleOptions {
  /** Returns the `$ref` for a schema with this name. */
  ref: (name: string) => string
  /**
   * Closes objects that do not declare it themselves, and selects union branches by their discriminator, so that each
   * violation has a name.
   */
  strict: boolean
}

const single = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const named = ['$defs', 'dependentSchemas', 'patternProperties', 'properties']

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the values of a union of constants (and null), or null for another union. */
function constants(branches: readonly JsonSchema[]): unknown[] | null {
  const values = branches.map((branch) =>
    'const' in branch ? branch.const : branch.type === 'null' ? null : undefined,
  )
  return values.length === 0 || values.includes(undefined) ? null : values
}

/** Returns the discriminator of a union of objects with its constants, or null. */
function tagOf(branches: readonly JsonSchema[]): { name: string; values: unknown[] } | null {
  const members = branches.map((branch) => (isSchema(branch.properties) ? branch.properties : {}))
  if (branches.length < 2) return null
  for (const name of Object.keys(members[0] ?? {})) {
    const values = branches.map((branch, i) =>
      Array.isArray(branch.required) && branch.required.includes(name)
        ? ownMember(members[i]?.[name], 'const')
        : undefined,
    )
    if (values.every((value) => typeof value === 'string') && new Set(values).size === values.length)
      return { name, values }
  }
  return null
}

/**
 * Collects schemas. A schema with an `$id` is stored once in `definitions`, and referenced everywhere else.
 * Throws if two different schemas have the same `$id`.
 */
export class Bundle {
  readonly definitions = new Map<string, JsonSchema>()
  private readonly sources = new Map<string, string>()
  /**
   * Named schemas that are already compared. The majority is used in several places, and serializing them is expensive.
   */
  private readonly seen = new WeakSet<object>()

  constructor(private readonly options: BundleOptions) {}

  /** Adds `schema`. Returns it rewritten, with its named parts moved to `definitions`. */
  add(schema: object): JsonSchema {
    return this.visit(schema as JsonSchema, false)
  }

  /** `open`: part of an intersection, which closes as a whole. */
  private visit(schema: JsonSchema, open: boolean): JsonSchema {
    const { $id: name, ...rest } = schema
    if (typeof name !== 'string' || open) return this.rewrite(rest, open)
    if (this.seen.has(schema)) return { $ref: this.options.ref(name) }
    this.seen.add(schema)
    const source = JSON.stringify(schema)
    const known = this.sources.get(name)
    if (known !== undefined && known !== source) throw new Error(`two different schemas are named "${name}"`)
    if (known === undefined) {
      this.sources.set(name, source)
      this.definitions.set(name, {})
      this.definitions.set(name, this.rewrite(rest, false))
    }
    return { $ref: this.options.ref(name) }
  }

  private rewrite(schema: JsonSchema, open: boolean): JsonSchema {
    const out: JsonSchema = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$ref' && typeof value === 'string') out[key] = this.options.ref(value)
      else if (key === 'items' && Array.isArray(value)) out.prefixItems = value.map((part) => this.visit(part, false))
      else if (key === 'additionalItems') out.items = value
      else if (single.includes(key) && isSchema(value)) out[key] = this.visit(value, false)
      else if (several.includes(key) && Array.isArray(value))
        out[key] = value.map((part) => this.visit(part, key === 'allOf' || open))
      else if (named.includes(key) && isSchema(value))
        out[key] = Object.fromEntries(
          Object.entries(value).map(([name, part]) => [name, isSchema(part) ? this.visit(part, false) : part]),
        )
      else out[key] = value
    }
    this.simplifyUnion(schema, out)
    if (this.options.strict && !open) close(out)
    return out
  }

  private simplifyUnion(schema: JsonSchema, out: JsonSchema): void {
    if (!Array.isArray(schema.anyOf)) return
    const values = constants(schema.anyOf)
    if (values) {
      delete out.anyOf
      out.enum = values
      if (values.every((value) => typeof value === 'string')) out.type = 'string'
      return
    }
    const tag = this.options.strict ? tagOf(schema.anyOf) : null
    if (!tag) return
    out.oneOf = out.anyOf
    delete out.anyOf
    // "properties" only provides the values for the message. The selected branch checks and closes itself.
    Object.assign(out, {
      type: 'object',
      required: [tag.name],
      properties: { [tag.name]: { enum: tag.values } },
      additionalProperties: true,
      discriminator: { propertyName: tag.name },
    })
  }
}

function close(out: JsonSchema): void {
  if (Array.isArray(out.allOf)) out.unevaluatedProperties ??= false
  else if (out.properties) out.additionalProperties ??= false
}
