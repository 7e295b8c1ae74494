/** Compiles the JSON schemas of endpoints with ajv. Long inputs cannot make formats and patterns slow. */
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Bundle } from '../schema-bundle.js'

const knownFormats = formats as unknown as { get(name: string): FormatCheck }
const KEYWORDS = ['example', 'x-internal', 'x-pattern-message']
/** Above this number of values, only the first violation is reported: a list of all could exhaust the memory. */
const MANY_VALUES = 5_000

const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

const base: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  discriminator: true,
  useDefaults: true,
  allErrors: true,
}

const hasDateTimeForm = (knownFormats.get('date-time') as { validate(text: string): boolean }).validate

/**
 * Whether a date and time can be read by JavaScript and has a year of four digits. RFC 3339 allows leap seconds, which
 * are an invalid `Date`.
 */
function isTimestamp(text: string): boolean {
  const time = hasDateTimeForm(text) ? Date.parse(text) : Number.NaN
  return time >= FIRST_TIME && time <= LAST_TIME
}

/** Longer texts match no pattern or format. For many patterns, time grows faster than the length of the text. */
const MAX_PATTERNED_LENGTH = 4096

/** Compiles a pattern that rejects long texts without matching. */
function shortPattern(source: string, flags: string): { test(text: string): boolean; toString(): string } {
  const pattern = new RegExp(source, flags)
  // ajv distinguishes patterns by their text.
  return { test: (text) => text.length <= MAX_PATTERNED_LENGTH && pattern.test(text), toString: () => String(pattern) }
}
// The text that ajv would print into generated code.
shortPattern.code = 'new RegExp'

/** The formats that the declarations use. All of them reject long texts without matching. */
const FORMATS = ['date-time', 'uri'] as const

type FormatCheck = RegExp | ((text: string) => boolean) | { validate: RegExp | ((text: string) => boolean) }

function shortFormat(check: FormatCheck): (text: string) => boolean {
  const inner = 'validate' in check ? check.validate : check
  const holds = inner instanceof RegExp ? (text: string) => inner.test(text) : inner
  return (text) => text.length <= MAX_PATTERNED_LENGTH && holds(text)
}

let validator: Ajv2020 | undefined

/** Validates schemas. Shared, because compiling the meta-schema for each set of checks took two thirds of a start. */
const schemaOfSchemas = (): Ajv2020 =>
  (validator ??= new Ajv2020({ strict: true, discriminator: true, code: { optimize: false } }))

/** A compiled check. After a failure, `errors` contains the violations. */
export type Check = ValidateFunction

class Checks {
  private readonly ajv: Ajv2020
  private readonly bundle = new Bundle({ ref: (name) => `schema:${name}`, strict: true })
  private readonly added = new Set<string>()
  private readonly bySchema = new WeakMap<object, () => Check>()
  // bound: the declarations
  private readonly byText = new Map<string, () => Check>()

  constructor(
    options: Options,
    private readonly isVerified: boolean,
  ) {
    // ajv's optimizer takes a third of the compile time and saves V8 little.
    this.ajv = new Ajv2020({
      ...base,
      ...options,
      meta: false,
      validateSchema: false,
      code: { regExp: shortPattern, optimize: false },
    })
    for (const name of FORMATS)
      this.ajv.addFormat(name, {
        type: 'string',
        validate: shortFormat(name === 'date-time' ? isTimestamp : knownFormats.get(name)),
      })
    for (const keyword of KEYWORDS) this.ajv.addKeyword(keyword)
  }

  /**
   * Returns a check that is compiled on first use: compiling all of them would take half of a start.
   * Throws immediately if the schema is invalid. Many declarations have equal schemas, which are compiled once.
   */
  declare(schema: object): () => Check {
    const known = this.bySchema.get(schema)
    if (known) return known
    const rewritten = this.bundle.add(schema)
    const text = JSON.stringify(rewritten)
    const check = this.byText.get(text) ?? this.whenAsked(rewritten)
    this.byText.set(text, check)
    this.bySchema.set(schema, check)
    return check
  }

  private whenAsked(rewritten: object): () => Check {
    if (!this.isVerified) schemaOfSchemas().validateSchema(rewritten, true)
    let check: Check | undefined
    return () => (check ??= this.compileNew(rewritten))
  }

  private compileNew(rewritten: object): Check {
    for (const [name, definition] of this.bundle.definitions) {
      if (this.added.has(name)) continue
      this.added.add(name)
      this.ajv.addSchema(definition, `schema:${name}`)
    }
    return this.ajv.compile(rewritten)
  }
}

/** The checks of one set of declarations: queries (texts are coerced), bodies and responses (unchanged). */
export class SchemaCompiler {
  private readonly queries: Checks
  private readonly bodies: Checks
  private readonly largeBodies: Checks
  private readonly responses: Checks

  /** @param isVerified whether the schemas are known to be valid */
  constructor(isVerified = false) {
    // Verbose errors contain the schema that failed, whose own message is shown.
    this.queries = new Checks({ coerceTypes: 'array', verbose: true }, isVerified)
    this.bodies = new Checks({ verbose: true }, isVerified)
    this.largeBodies = new Checks({ allErrors: false, verbose: true }, isVerified)
    this.responses = new Checks({ useDefaults: false }, isVerified)
  }

  query(schema: object): () => Check {
    return this.queries.declare(schema)
  }

  /** Returns a function that selects the check by the number of values in the body. */
  body(schema: object): (count: number) => Check {
    const all = this.bodies.declare(schema)
    return (count) => (count <= MANY_VALUES ? all() : this.largeBodies.declare(schema)())
  }

  response(schema: object): () => Check {
    return () => this.responses.declare(schema)()
  }
}
