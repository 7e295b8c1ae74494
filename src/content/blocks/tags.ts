/**
 * A known `{% name … %}` tag. To add a block, add a row here, and a converter in `convert-tag.ts` if copying attributes
 * is not enough.
 */
export interface TagRow {
  /** As written after `{%`; its end tag is `end` + name. */
  name: string
  /** The type of the block in the tree. */
  type: string
  /** Whether the tag has an end tag. If a required end tag is missing, the opening tag is shown as text. */
  end: 'required' | 'optional' | 'none'
  /** Attributes that are copied into `data`, in this order. The value of a flag becomes a boolean. */
  attributes: readonly string[]
  flags?: readonly string[]
  /**
   * A part of a container. If its end tag is missing, it ends at the next part of the same name or with the container.
   */
  part?: true
  /** The expected children. This is only documentation: other children are kept as well. */
  children: 'blocks' | 'none' | readonly string[]
  /** The description on the reference page, in one line. */
  about: string
}

const api = ['method', 'host', 'path', 'summary', 'name', 'type', 'required', 'in', 'httpCode', 'description'] as const
const legacyPart = (name: string): TagRow => ({
  name,
  type: name.replace('api-method', 'swagger'),
  end: 'required',
  attributes: api,
  flags: ['required'],
  part: true,
  children: 'blocks',
  about: 'part of a legacy API method',
})

export const tagTable: readonly TagRow[] = [
  {
    name: 'hint',
    type: 'hint',
    end: 'required',
    attributes: ['style', 'icon'],
    children: 'blocks',
    about: 'a call-out: info, warning, danger or success',
  },
  {
    name: 'tabs',
    type: 'tabs',
    end: 'required',
    attributes: ['fullWidth'],
    flags: ['fullWidth'],
    children: ['tab'],
    about: 'alternatives; one of them is shown at a time',
  },
  {
    name: 'tab',
    type: 'tabs-item',
    end: 'required',
    part: true,
    attributes: ['title', 'icon'],
    children: 'blocks',
    about: 'one alternative',
  },
  { name: 'stepper', type: 'stepper', end: 'required', attributes: [], children: ['step'], about: 'numbered steps' },
  {
    name: 'step',
    type: 'stepper-step',
    end: 'required',
    part: true,
    attributes: ['title'],
    children: 'blocks',
    about: 'one step',
  },
  {
    name: 'columns',
    type: 'columns',
    end: 'required',
    attributes: [],
    children: ['column'],
    about: 'blocks side by side',
  },
  {
    name: 'column',
    type: 'column',
    end: 'required',
    part: true,
    attributes: ['width', 'valign'],
    children: 'blocks',
    about: 'one column',
  },
  {
    name: 'updates',
    type: 'updates',
    end: 'required',
    attributes: ['format'],
    children: ['update'],
    about: 'a change log',
  },
  {
    name: 'update',
    type: 'update',
    end: 'required',
    part: true,
    attributes: ['date', 'tags'],
    children: 'blocks',
    about: 'one dated entry',
  },
  {
    name: 'code',
    type: 'code',
    end: 'required',
    attributes: ['title', 'overflow', 'lineNumbers', 'expandable', 'fullWidth'],
    flags: ['lineNumbers', 'expandable', 'fullWidth'],
    children: ['code'],
    about: 'options for the fenced code in it',
  },
  {
    name: 'content-ref',
    type: 'content-ref',
    end: 'optional',
    attributes: ['url'],
    children: 'blocks',
    about: 'a link to a page, as a card',
  },
  {
    name: 'page-ref',
    type: 'content-ref',
    end: 'optional',
    attributes: ['page'],
    children: 'blocks',
    about: 'the older spelling of content-ref',
  },
  {
    name: 'embed',
    type: 'embed',
    end: 'optional',
    attributes: ['url', 'fullWidth'],
    flags: ['fullWidth'],
    children: 'blocks',
    about: 'an embedded page of another site; its body is the caption',
  },
  {
    name: 'file',
    type: 'file',
    end: 'optional',
    attributes: ['src', 'name'],
    children: 'blocks',
    about: 'a file to download; its body is the caption',
  },
  {
    name: 'include',
    type: 'reusable-content',
    end: 'none',
    attributes: [],
    children: 'none',
    about: 'reusable content',
  },
  {
    name: 'prompt',
    type: 'prompt',
    end: 'required',
    attributes: ['description', 'icon', 'openInAIProviders', 'defaultExpanded'],
    flags: ['openInAIProviders'],
    children: 'blocks',
    about: 'a prompt for an assistant',
  },
  {
    name: 'if',
    type: 'if',
    end: 'required',
    attributes: [],
    children: 'blocks',
    about: 'blocks that are shown if the expression is true',
  },
  {
    name: 'openapi-operation',
    type: 'openapi-operation',
    end: 'optional',
    attributes: ['spec', 'path', 'method'],
    children: 'blocks',
    about: 'one operation of an API specification',
  },
  {
    name: 'openapi-schemas',
    type: 'openapi-schemas',
    end: 'optional',
    attributes: ['spec', 'schemas', 'grouped'],
    flags: ['grouped'],
    children: 'blocks',
    about: 'schemas of an API specification',
  },
  {
    name: 'openapi-webhook',
    type: 'openapi-webhook',
    end: 'optional',
    attributes: ['spec', 'name', 'method'],
    children: 'blocks',
    about: 'one webhook of an API specification',
  },
  {
    name: 'openapi',
    type: 'openapi',
    end: 'optional',
    attributes: ['src', 'path', 'method', 'expanded', 'fullWidth'],
    flags: ['expanded', 'fullWidth'],
    children: 'blocks',
    about: 'one operation; `src` is the address of its specification',
  },
  {
    name: 'swagger',
    type: 'swagger',
    end: 'optional',
    attributes: ['src', 'method', 'path', 'baseUrl', 'summary', 'expanded', 'fullWidth'],
    flags: ['expanded', 'fullWidth'],
    children: ['swagger-description', 'swagger-parameter', 'swagger-response'],
    about: 'an API method: by reference (`src`), or written out in parts',
  },
  {
    name: 'swagger-description',
    type: 'swagger-description',
    end: 'required',
    part: true,
    attributes: [],
    children: 'blocks',
    about: 'what the method does',
  },
  {
    name: 'swagger-parameter',
    type: 'swagger-parameter',
    end: 'required',
    part: true,
    attributes: ['in', 'name', 'type', 'required'],
    flags: ['required'],
    children: 'blocks',
    about: 'one parameter',
  },
  {
    name: 'swagger-response',
    type: 'swagger-response',
    end: 'required',
    part: true,
    attributes: ['status', 'description'],
    children: 'blocks',
    about: 'one response',
  },
  {
    name: 'api-method',
    type: 'swagger',
    end: 'required',
    attributes: api,
    flags: ['required'],
    children: 'blocks',
    about: 'the oldest spelling of an API method',
  },
  ...[
    'api-method-summary',
    'api-method-description',
    'api-method-spec',
    'api-method-request',
    'api-method-path-parameters',
    'api-method-query-parameters',
    'api-method-headers',
    'api-method-form-data-parameters',
    'api-method-body-parameters',
    'api-method-parameter',
    'api-method-response',
    'api-method-response-example',
    'api-method-response-example-description',
  ].map(legacyPart),
]

const byName = new Map(tagTable.map((row) => [row.name, row]))

/** Returns the row of a tag; null if the tag is unknown. */
export const findTag = (name: string): TagRow | null => byName.get(name) ?? null

/** Whether this word after `{%` is the name of a known tag or of its end tag. */
export const isKnownTag = (word: string): boolean =>
  byName.has(word) || (word.startsWith('end') && byName.has(word.slice(3)))
