/** Compiles the JSON schemas of endpoints with ajv, so that formats, patterns and long inputs are safe to check. */
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Bundle } from '../schema-bundle.js'

const knownFormats = formats as unknown as { get(name: string): FormatCheck }
const KEYWORDS = ['example', 'x-internal', 'x-pattern-message']
/** Above so many values only the first violation is looked for: the list of all could fill the memory. */
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

/** A date and time that JavaScript can read, and writes with a year of four digits: RFC 3339 also knows leap seconds, which are an invalid `Date`. */
function isTimestamp(text: string): boolean {
  const time = hasDateTimeForm(text) ? Date.parse(text) : Number.NaN
  return time >= FIRST_TIME && time <= LAST_TIME
}

/** No pattern or format is one of more characters than this; many take time that grows faster than the text. */
const MAX_PATTERNED_LENGTH = 4096

/** A pattern that fails long texts unseen. */
function shortPattern(source: string, flags: string): { test(text: string): boolean; toString(): string } {
  const pattern = new RegExp(source, flags)
  // ajv tells patterns apart by their text
  return { test: (text) => text.length <= MAX_PATTERNED_LENGTH && pattern.test(text), toString: () => String(pattern) }
}
// what ajv would write into a check that it prints as code
shortPattern.code = 'new RegExp'

/** The formats that the declarations use, none of which looks at long texts. */
const FORMATS = ['date-time', 'uri'] as const

type FormatCheck = RegExp | ((text: string) => boolean) | { validate: RegExp | ((text: string) => boolean) }

function shortFormat(check: FormatCheck): (text: string) => boolean {
  const inner = 'validate' in check ? check.validate : check
  const holds = inner instanceof RegExp ? (text: string) => inner.test(text) : inner
  return (text) => text.length <= MAX_PATTERNED_LENGTH && holds(text)
}

/** Tells whether schemas are any. Compiling the schema of schemas took two thirds of a start when each set of checks did it for itself. */
const schemaOfSchemas = new Ajv2020({ strict: true, discriminator: true, code: { optimize: false } })

/** A compiled check; what fails it is in `errors` afterwards. */
export type Check = ValidateFunction

class Checks {
  private readonly ajv: Ajv2020
  private readonly bundle = new Bundle({ ref: (name) => `schema:${name}`, strict: true })
  private readonly added = new Set<string>()
  private readonly bySchema = new WeakMap<object, () => Check>()
  // bound: the declarations
  private readonly byText = new Map<string, () => Check>()

  constructor(options: Options) {
    // ajv's own optimizer takes a third of the time of compiling, and spares V8 little.
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
   * A check that is compiled when it is first asked for: all of them together would be half of what a start costs. Throws now if the
   * schema is none. Many declarations have equal schemas: each is compiled once.
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
    schemaOfSchemas.validateSchema(rewritten, true)
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

/** The checks of one set of declarations: queries (texts become what they mean), bodies and responses (taken as they are). */
export class SchemaCompiler {
  // Verbose errors name the schema that failed, whose own message is shown.
  private readonly queries = new Checks({ coerceTypes: 'array', verbose: true })
  private readonly bodies = new Checks({ verbose: true })
  private readonly largeBodies = new Checks({ allErrors: false, verbose: true })
  private readonly responses = new Checks({ useDefaults: false })

  query(schema: object): () => Check {
    return this.queries.declare(schema)
  }

  /** A check that is chosen by how many values the body holds. */
  body(schema: object): (count: number) => Check {
    const all = this.bodies.declare(schema)
    return (count) => (count <= MANY_VALUES ? all() : this.largeBodies.declare(schema)())
  }

  response(schema: object): () => Check {
    return () => this.responses.declare(schema)()
  }
}
