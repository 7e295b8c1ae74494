/** Renders parameters and schemas of APIs on pages of sites. Their size is bounded where specifications are read. */
import { untrustedBlocks } from '../../content/specs/stranger.js'
import type { ShownProperty, ShownSchema } from '../../model/index.js'
import { h } from '../element.js'
import type { Html, HtmlElement, RenderContext } from '../types.js'
import { symbol } from './icon.js'
import { word } from './text.js'

interface Parameter extends ShownProperty {
  in?: string
  description?: string
  deprecated?: true
  example?: string
}

/** Renders a parameter or a property: its name, type, description, constraints, and nested properties. */
export function paramItem({ name, required, schema, ...more }: Parameter, context: RenderContext): HtmlElement {
  const isDeprecated = more.deprecated || schema.facts?.includes('deprecated')
  const sig = h(
    'div',
    { className: ['sig'] },
    h('code', { dir: 'ltr' }, name),
    h('span', {}, schema.type),
    required ? h('span', { className: ['req'] }, word(context, 'required')) : null,
    isDeprecated ? h('span', { className: ['tag', 'warning'] }, word(context, 'deprecated')) : null,
  )
  const description = more.description ?? schema.description
  return h(
    'li',
    {},
    sig,
    description === undefined ? null : context.blocks(untrustedBlocks(description)),
    rules(schema, more.example, context),
    inner(schema, context),
  )
}

/** Renders the content of a schema that has no name: its description, constraints and properties. */
export function schemaBody(schema: ShownSchema, context: RenderContext): Html[] {
  const { description, properties } = schema
  const list = properties
    ? [
        h(
          'ul',
          { className: ['params', 'plain'] },
          properties.map((one) => paramItem(one, context)),
        ),
      ]
    : []
  const rest = inner({ ...schema, properties: [] }, context)
  const facts = rules(schema, undefined, context)
  return [
    ...(description === undefined ? [] : context.blocks(untrustedBlocks(description))),
    ...(facts ? [facts] : []),
    ...list,
    ...rest,
  ]
}

/** Renders the constraints of a schema in a row. */
function rules(
  { facts = [], enum: values }: ShownSchema,
  example: string | undefined,
  context: RenderContext,
): Html | null {
  const shown = inWords(facts).map((fact) => h('span', {}, ...factParts(fact)))
  if (values)
    shown.push(
      h(
        'span',
        {},
        word(context, 'values'),
        values.map((value) => [' ', h('code', { dir: 'ltr' }, unquoted(value))]),
      ),
    )
  if (example !== undefined)
    shown.push(h('span', {}, word(context, 'example'), ' ', h('code', { dir: 'ltr' }, example)))
  return shown.length > 0 ? h('p', { className: ['rule'] }, shown) : null
}

/** Returns the constraints for display: a minimum and a maximum become a range. */
function inWords(facts: readonly string[]): string[] {
  const bound = (name: string): string | undefined =>
    facts.find((fact) => new RegExp(`^at ${name} -?[\\d.]+$`).test(fact))
  const [least, most] = [bound('least'), bound('most')]
  const range = least && most ? [`${least.slice('at least '.length)} – ${most.slice('at most '.length)}`] : []
  const others = facts.filter(
    (fact) => fact !== 'deprecated' && !(range.length > 0 && (fact === least || fact === most)),
  )
  return [...range, ...others.map((fact) => fact.charAt(0).toUpperCase() + fact.slice(1))]
}

/** Returns a constraint with its value as code: `default: 5`. */
function factParts(fact: string): (Html | string)[] {
  const at = fact.indexOf(': ')
  return at < 0 ? [fact] : [`${fact.slice(0, at)} `, h('code', { dir: 'ltr' }, unquoted(fact.slice(at + 2)))]
}

const unquoted = (json: string): string => json.replace(/^"([^"\\]*)"$/, '$1')

/** Renders the parts of a schema, collapsed: its properties, items and alternatives. */
function inner(
  { type, properties = [], inner: items, choice, cut, left = 0 }: ShownSchema,
  context: RenderContext,
): Html[] {
  const count = properties.length + left
  const made: Html[] = []
  if (properties.length > 0)
    made.push(
      closed(
        propertiesTitle(count, type, context),
        [...properties.map((one) => paramItem(one, context)), ...more(left, context)],
        context,
      ),
    )
  if (items)
    made.push(
      closed(word(context, 'items'), [paramItem({ name: '[ ]', required: false, schema: items }, context)], context),
    )
  if (choice) {
    const title = word(context, choice.of === 'one' ? 'oneOf' : choice.of === 'any' ? 'anyOf' : 'allOf')
    const schemas = choice.schemas.map((one) =>
      paramItem({ name: one.type, required: false, schema: { ...one, type: '' } }, context),
    )
    made.push(closed(title, [...schemas, ...(properties.length > 0 ? [] : more(left, context))], context))
  }
  if (cut) made.push(h('p', { className: ['rule'] }, word(context, cut)))
  return made
}

function propertiesTitle(count: number, type: string, context: RenderContext): string {
  const title = count === 1 ? word(context, 'property') : word(context, 'properties', count)
  return /^[A-Z]\w*$/.test(type) ? `${title} (${type})` : title
}

const more = (count: number, context: RenderContext): Html[] =>
  count > 0 ? [h('li', { className: ['rule'] }, word(context, 'more', count))] : []

const closed = (title: string, items: Html[], context: RenderContext): HtmlElement =>
  h(
    'details',
    { className: ['schema'] },
    h('summary', {}, symbol('right', context, 'flip'), title),
    h('ul', { className: ['params', 'plain'] }, items),
  )
