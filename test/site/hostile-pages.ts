/** Vectors of cross-site scripting in each field and block of pages. */
import { readFileSync } from 'node:fs'
import { entry } from '../openapi/fixture.js'
import { specText } from '../openapi/servers.js'
import type { Files } from '../support/bare-repository.js'
import { size } from '../support/soak.js'

/** A host that no page may contact. */
export const FOREIGN = 'evil.test'
/** Number of vectors in one page of blocks. */
export const PER_PAGE = size(32, 8)
/** A soak puts each vector in each block. In the test run, each vector is in one block, and all vectors together are in this many. */
const SHARE = size(8, 1)

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

/** Returns the vectors of the table. A vector calls `alert` with its number. */
export function readVectors(files: { script: string; style: string }): string[] {
  const table = readFileSync(new URL('./fixtures/xss-vectors.txt', import.meta.url), 'utf8')
  return table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line, at) =>
      line
        .replace(/\\u([0-9a-f]{4})|\\([tnr0\\])/g, (_, code: string | undefined, name: string) =>
          code === undefined ? (ESCAPES[name] as string) : String.fromCharCode(Number.parseInt(code, 16)),
        )
        .replaceAll('RUN', `alert(${at})`)
        .replaceAll('alert(ID)', `alert(${at})`)
        .replaceAll('[ID]', `[${at}]`)
        .replaceAll('HOST', FOREIGN)
        .replaceAll('FILE', files.script)
        .replaceAll('STYLE', files.style),
    )
}

const line = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('\0', '')
/** Keeps markdown from reading a text as markup. */
const literal = (text: string): string => line(text).replace(/[!-/:-@[-`{-~]/g, '\\$&')
const attribute = (text: string): string => line(text).replaceAll('"', '&quot;')
const argument = (text: string): string => line(text).replace(/[\\"]/g, '\\$&')
const cell = (text: string): string => line(text).replaceAll('|', '\\|')

/** Ends everything that a vector may have opened in markdown. */
const END = '</script></style></textarea></title></pre>-->]]>?>'

/** The blocks in which a vector is a field: attributes, titles, languages, addresses. */
function fieldsOf(vector: string, at: number): string[] {
  const a = attribute(vector)
  const t = argument(vector)
  const l = literal(vector)
  return [
    `### ${l}`,
    `[${l}](page.md "${t}") ![${l}](light.svg "${t}") [x](<${line(vector).replace(/[<>]/g, '\\$&')}>) ![x](<${literal(vector)}>)`,
    `\`\` ${line(vector)} \`\` *${l}* [^${at}] $$${line(vector)}$$ {{ ${line(vector)} }} <code class="expression">${a}</code>`,
    `{% code title="${t}" overflow="${t}" lineNumbers="${t}" %}\n\`\`\`\`\`${line(vector).replaceAll('`', '')}\n${vector}\n\`\`\`\`\`\n{% endcode %}`,
    `\`\`\`\`\`mermaid\n${vector}\n\`\`\`\`\``,
    `| ${cell(l)} | x |\n| --- | --- |\n| ${cell(l)} | ${cell(vector)} |`,
    `{% hint style="${t}" icon="${t}" %}\n${l}\n{% endhint %}`,
    `{% tabs %}\n{% tab title="${t}" icon="${t}" %}\n${l}\n{% endtab %}\n{% endtabs %}`,
    `{% stepper %}\n{% step %}\n## ${l}\n${l}\n{% endstep %}\n{% endstepper %}`,
    `{% updates format="${t}" %}\n{% update date="2026-01-01" tags="${t}" %}\n## ${l}\n{% endupdate %}\n{% endupdates %}`,
    `{% columns %}\n{% column width="${t}" %}\n${l}\n{% endcolumn %}\n{% endcolumns %}`,
    `{% prompt description="${t}" icon="${t}" %}\n${l}\n{% endprompt %}`,
    `{% embed url="https://example.org/?${encodeURIComponent(vector)}" %}\n${l}\n{% endembed %}`,
    `{% embed url="${t}" %}`,
    `{% file src="${t}" %}\n${l}\n{% endfile %}`,
    `{% content-ref url="${t}" %}\n[${l}](<${l}>)\n{% endcontent-ref %}`,
    `{% if ${line(vector)} %}\nx\n{% endif %}`,
    `{% include "${t}" %}`,
    `{% openapi-operation spec="${t}" path="${t}" method="${t}" %}\n{% endopenapi-operation %}`,
    `{% unknown-${at} x="${t}" %}\n${l}\n{% endunknown-${at} %}`,
    `<details class="${a}" open><summary>${a}</summary>\n\n${l}\n\n</details>`,
    `<a href="${a}" class="button primary ${a}" data-icon="${a}" target="${a}" title="${a}">${l}</a> <i class="fa-${a}">:${l}:</i>`,
    `<mark style="color:${a};background-color:${a}">${l}</mark> <span data-x="${a}" id="${a}" class="${a}" lang="${a}" dir="${a}">x</span>`,
    `<figure><picture><source srcset="${a}" media="${a}"><img src="${a}" alt="${a}" width="${a}" data-size="${a}"></picture><figcaption>${l}</figcaption></figure>`,
    `<table data-view="cards"><thead><tr><th>${a}</th><th data-type="${a}">x</th><th data-card-target data-type="content-ref"></th><th data-card-cover data-type="files"></th></tr></thead><tbody><tr><td>${a}</td><td>${a}</td><td><a href="${a}">${a}</a></td><td><a href="${a}">${a}</a></td></tr></tbody></table>`,
    `[^${at}]: ${l}`,
  ]
}

/** The blocks in which a vector is markup. Markup that it opens may swallow the following blocks. */
const markupOf = (vector: string): string[] => [
  vector,
  `x ${line(vector)} x`,
  `### ${line(vector)}`,
  `> ${line(vector)}\n\n* ${line(vector)}`,
  `<details><summary>${line(vector)}</summary>\n\n${line(vector)}\n\n</details>`,
  `<table data-view="cards"><tbody><tr><td>${line(vector)}</td></tr></tbody></table>`,
]

export const marker = (at: number): string => `the end of vector ${at}`

/** A page with these vectors in each block. Each vector has a marker after it. */
export function hostilePage(vectors: readonly string[], first: number): string {
  const some = (blocks: string[], at: number): string[] => blocks.filter((_, block) => (block + at) % SHARE === 0)
  const parts = vectors.flatMap((vector, i) => [...some(fieldsOf(vector, first + i), first + i), marker(first + i)])
  const markup = vectors.flatMap((vector, i) => some(markupOf(vector), first + i).flatMap((block) => [block, END]))
  return [`# ${literal(vectors[0] as string)}`, ...parts, ...markup].join('\n\n')
}

const yaml = (text: string): string => JSON.stringify(text.replaceAll('\0', ''))

/** The files of a space: pages of blocks, and below each of them a page for each vector in its title and front matter. */
export function hostileSpace(vectors: readonly string[]): Files {
  const files: Record<string, string> = {
    'page.md': '# Page\n',
    'light.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="28" onload="alert(1)"/>',
    '.gitbook/vars.yaml': vectors.map((vector, at) => `v${at}: ${yaml(vector)}`).join('\n'),
  }
  const entries = ['* [Page](page.md)', entry('hostile')]
  for (let first = 0; first < vectors.length; first += PER_PAGE) {
    const some = vectors.slice(first, first + PER_PAGE)
    files[`p${first}/README.md`] = hostilePage(some, first)
    entries.push(`## ${literal(some[1] ?? 'x')}`, `* [${literal(some[0] as string)}](p${first}/README.md)`)
    some.forEach((vector, i) => {
      const at = first + i
      if (at % SHARE !== 0) return
      const front = ['description', 'icon', 'cover', 'coverY', 'layout', 'title', vector.includes('"') ? 'x' : 'vars']
      files[`p${first}/v${at}.md`] =
        `---\n${front.map((name) => `${name}: ${yaml(vector)}\n`).join('')}---\n\n# ${literal(vector)}\n\n{{ space.vars.v${at} }} <code class="expression">space.vars.v${at}</code>\n`
      entries.push(`  * [${literal(vector)}](p${first}/v${at}.md "${argument(vector)}")`)
    })
  }
  return { ...files, 'SUMMARY.md': `# Summary\n\n${entries.join('\n')}\n` }
}

/** A specification with vectors in each field of its operations. */
export function hostileSpecification(vectors: readonly string[]): string {
  const paths: Record<string, unknown> = {}
  for (let first = 0; first < vectors.length; first += 8 * SHARE) {
    const some = vectors.slice(first, first + 8)
    const [one = ''] = some
    const schema = {
      type: 'object',
      title: one,
      description: one,
      properties: Object.fromEntries(
        some.map((vector) => [
          vector,
          { type: 'string', description: vector, enum: [vector], default: vector, pattern: vector, format: vector },
        ]),
      ),
    }
    const content = { [one || 'x']: { schema, example: some }, 'application/json': { schema, example: some } }
    paths[`/p${first}/{${one.replace(/[{}/]/g, '')}}`] = {
      post: {
        summary: one,
        description: some.join('\n\n'),
        tags: [one],
        externalDocs: { url: one, description: one },
        parameters: some.map((vector, i) => ({
          name: vector,
          in: ['query', 'header', 'cookie'][i % 3],
          required: true,
          description: vector,
          example: vector,
          schema: { type: 'string', description: vector, enum: [vector] },
        })),
        requestBody: { description: one, content },
        responses: { '200': { description: one, content, headers: { [one]: { description: one } } } },
        servers: [{ url: one, description: one }],
      },
    }
  }
  return specText({
    info: { title: vectors[0], version: vectors[1], description: vectors[2] },
    servers: [{ url: 'javascript:alert(1)', description: vectors[0] }],
    tags: [{ name: vectors[0], description: vectors[1] }],
    paths,
  })
}
