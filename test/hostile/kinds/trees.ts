import { fill, type Kind } from './kind.js'

const leaf = (text: string, marks = '[]'): string =>
  `{"object":"text","leaves":[{"object":"leaf","text":${JSON.stringify(text)},"marks":${marks}}]}`
const block = (type: string, nodes: string, more = ''): string =>
  `{"object":"block","type":"${type}"${more},"nodes":[${nodes}]}`
const document = (nodes: string): string => `{"object":"document","data":{},"nodes":[${nodes}]}`

/** `unit` joined by commas, as often as fits. */
const many = (unit: string, bytes: number): string => fill(`${unit},`, bytes - 60).slice(0, -1)

/** Nested blocks, as deep as fits. */
function deep(type: string, bytes: number, more = ''): string {
  const [open, close] = [`{"object":"block","type":"${type}"${more},"nodes":[`, ']}']
  const count = Math.max(1, Math.floor((bytes - 200) / (open.length + close.length)))
  return document(open.repeat(count) + block('paragraph', leaf('a')) + close.repeat(count))
}

const paragraph = (text: string): string => document(block('paragraph', leaf(text)))

/** Block trees, as JSON text. */
export const trees: Kind[] = [
  { name: 'text of stars and brackets', make: (bytes) => paragraph(fill('*_[', bytes - 200)) },
  {
    name: 'text of backticks rising',
    make: (bytes) =>
      paragraph(Array.from({ length: Math.floor(Math.sqrt(2 * (bytes - 2000))) }, (_, n) => '`'.repeat(n)).join(' ')),
  },
  { name: 'text of brackets', make: (bytes) => paragraph(fill('[a](', bytes - 200)) },
  { name: 'text of tags', make: (bytes) => paragraph(fill('{% hint %}', bytes - 200)) },
  { name: 'text of line ends', make: (bytes) => paragraph(fill('\n', Math.floor((bytes - 200) / 2))) },
  { name: 'text of blanks', make: (bytes) => paragraph(fill(' ', bytes - 200)) },
  { name: 'quotes deep', make: (bytes) => deep('blockquote', bytes) },
  { name: 'hints deep', make: (bytes) => deep('hint', bytes, ',"data":{"style":"info"}') },
  {
    name: 'lists deep',
    make: (bytes) =>
      deep('list-unordered', bytes).replaceAll(
        '"list-unordered","nodes":[{"object":"block","type":"list-unordered"',
        '"list-unordered","nodes":[{"object":"block","type":"list-item"',
      ),
  },
  { name: 'paragraphs', make: (bytes) => document(many(block('paragraph', leaf('a')), bytes)) },
  { name: 'leaves', make: (bytes) => document(block('paragraph', many(leaf('*'), bytes - 100))) },
  {
    name: 'leaves with marks',
    make: (bytes) =>
      document(
        block(
          'paragraph',
          many(leaf('a', '[{"object":"mark","type":"bold"},{"object":"mark","type":"italic"}]'), bytes - 100),
        ),
      ),
  },
  {
    name: 'marks on one leaf',
    make: (bytes) =>
      document(block('paragraph', leaf('a', `[${many('{"object":"mark","type":"bold"}', bytes - 300)}]`))),
  },
  { name: 'headings', make: (bytes) => document(many(block('heading-1', leaf('a')), bytes)) },
  { name: 'unknown blocks', make: (bytes) => document(many(block('nothing', leaf('a')), bytes)) },
  {
    name: 'arrays deep in data',
    make: (bytes) =>
      document(
        block('paragraph', leaf('a'), `,"data":{"x":${'['.repeat((bytes - 300) / 2)}${']'.repeat((bytes - 300) / 2)}}`),
      ),
  },
  {
    name: 'code of fences',
    make: (bytes) =>
      document(
        `{"object":"block","type":"code","data":{},"nodes":[${many(block('code-line', leaf('```')), bytes - 100)}]}`,
      ),
  },
  {
    name: 'a table of records',
    make: (bytes) =>
      document(
        `{"object":"block","type":"table","data":{"view":"grid","definition":[{"id":"c0","title":"a","type":"text"}],"records":[${many('{"id":"r","values":{"c0":"d"}}', bytes - 300)}]},"nodes":[]}`,
      ),
  },
]
