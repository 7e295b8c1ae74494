/** The words that blocks of sites show next to what their authors wrote. `{count}` and `{name}` are filled in. */
export const ENGLISH = {
  info: 'Info',
  success: 'Success',
  warning: 'Warning',
  danger: 'Danger',
  section: 'Link to this section',
  copy: 'Copy code',
  copyAddress: 'Copy the address',
  code: 'Code',
  allLines: 'Show all {count} lines',
  table: 'Table',
  done: 'Done',
  open: 'Open',
  enlarge: 'Enlarge the picture',
  download: 'Download',
  outside: 'Opens {name}, which may set cookies.',
  prompt: 'Show the prompt',
  copyPrompt: 'Copy prompt',
  diagram: 'Diagram',
  notes: 'Footnotes',
  back: 'Back to the text',
  request: 'Request',
  response: 'Response',
  responses: 'Responses',
  body: 'Body',
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
  cookie: 'Cookies',
  parameters: 'Parameters',
  required: 'required',
  deprecated: 'Deprecated',
  authorization: 'Authorization',
  values: 'One of',
  example: 'Example',
  property: 'Show 1 property',
  properties: 'Show {count} properties',
  items: 'Show the items',
  oneOf: 'One of these',
  anyOf: 'Any of these',
  allOf: 'All of these',
  circle: 'It contains itself, and is shown further up.',
  deep: 'It is not shown any deeper.',
  long: 'There is too much to show here.',
  more: '{count} more are not shown.',
}

/** The words of one language. */
export type BlockWords = Readonly<Record<keyof typeof ENGLISH, string>>

/** Fills a number or a name into a text. */
export const fill = (text: string, value: string | number): string =>
  text.replace(/\{(?:count|name)\}/, () => String(value))
