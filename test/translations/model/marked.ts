/**
 * Texts with a known translation: the engine changes the text between « and », and everything else stays. The engine of
 * these stories is ROT13 on letters, so the expected page is known to the byte.
 */

/** The engine's translation of plain text. It is its own inverse. */
export const turned = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })

/** The text for the source. */
export const sourceOf = (marked: string): string => marked.replace(/[«»]/g, '')

/**
 * The expected translation. The lines of a paragraph become one, because the words of another language do not fit them.
 */
export const translationOf = (marked: string): string =>
  marked.replace(/«([^»]*)»/g, (_, text: string) => turned(text.replace(/(?<!\\)\r?\n(?:> ?)?/g, ' ')))

/** A generator of numbers from 0 to less than `below`. A seed gives the same numbers on every machine. */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const SYLLABLES = ['ba', 'lo', 'mi', 'ner', 'tu', 'sa', 'vel', 'qui', 'for', 'den', 'pa', 'ro', 'gis', 'ha', 'ju']

/** Words that occur nowhere else, by the count of calls. */
export function wording(roll: (below: number) => number): () => string {
  let count = 0
  return () => {
    const word = () => Array.from({ length: 1 + roll(3) }, () => SYLLABLES[roll(SYLLABLES.length)]).join('')
    return `${word()} ${word()} word${String.fromCharCode(97 + (count % 26))}${(count++).toString(36)}x ${word()}`
  }
}

/** Kinds of blocks on pages, each with its own words. `w` generates words. */
export const BLOCKS: ((w: () => string) => string)[] = [
  (w) => `«${w()}. ${w()}!»`,
  (w) => `## «${w()}»`,
  (w) => `«${w()}\n${w()},\n${w()}»`,
  (w) => `- «${w()}»\n- «${w()}»\n  - «${w()}»\n- [ ] «${w()}»\n- [x] «${w()}»`,
  (w) => `1. «${w()}»\n2. «${w()}»\n\n   «${w()}»\n10. «${w()}»`,
  (w) =>
    `| «${w()}» | «${w()}» |\n|:---|---:|\n| «${w()}» | \`${w()}\` |\n| «${w()} »**«${w()}»** | «${w()} \\| ${w()}» |`,
  (w) => `\`\`\`ts title="${w()}"\nconst x = "${w()}"\n\n// ${w()}\n\`\`\``,
  (w) => `    indented ${w()}\n    code ${w()}`,
  (w) => `«${w()} »**«${w()}»**«, »*«${w()}»*«, »~~«${w()}»~~«, »\`${w()}\`«, »[«${w()}»](other.md#here)« ${w()}.»`,
  (w) => `«${w()} »<https://example.com/${w().replaceAll(' ', '-')}>« ${w()} »https://example.org/a?b=c&d=e« ${w()}»`,
  (w) => `«${w()} »{{ space.vars.version }}« ${w()} »<code class="expression">space.vars.version</code>« ${w()}»`,
  (w) => `«${w()} \\*${w()}\\* »&nbsp;« ${w()} & ${w()}»&#x20;«${w()}»`,
  (w) => `{% hint style="info" %}\n«${w()}»\n\n- «${w()}»\n{% endhint %}`,
  (w) =>
    `{% tabs %}\n{% tab title="«${w()}»" %}\n«${w()}»\n{% endtab %}\n\n{% tab title="«${w()}»" %}\n\`\`\`\n${w()}\n\`\`\`\n{% endtab %}\n{% endtabs %}`,
  (w) => `{% stepper %}\n{% step %}\n### «${w()}»\n\n«${w()}»\n{% endstep %}\n{% endstepper %}`,
  (w) => `<details>\n\n<summary>«${w()}»</summary>\n\n«${w()}»\n\n</details>`,
  (w) =>
    `<figure><img src=".gitbook/assets/a.png" alt="«${w()}»" width="50%"><figcaption><p>«${w()}»</p></figcaption></figure>`,
  (w) => `![«${w()}»](.gitbook/assets/a.png "${w()}")`,
  (w) => `{% code title="src/a-file.ts" overflow="wrap" %}\n\`\`\`js\n${w()}\n\`\`\`\n{% endcode %}`,
  (w) =>
    `{% content-ref url="a/other.md" %}\n[other.md](a/other.md)\n{% endcontent-ref %}\n\n[«${w()}»](a/other.md "${w()}")`,
  (w) => `{% embed url="https://example.com/${w().replaceAll(' ', '')}" %}\n\n«${w()}»`,
  (w) => `> «${w()}\n> ${w()}»\n>\n> «${w()}»`,
  (w) => `$$\n\\frac{${w().replaceAll(' ', '}{')}}\n$$\n\n«${w()} »$$a_b*c*$$« ${w()}»`,
  (w) => `<!-- ${w()} -->\n\n«${w()}»<br>«${w()}»`,
  (w) =>
    `<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>«${w()}»</strong></td><td><a href="other.md">other.md</a></td></tr></tbody></table>`,
  (w) => `«${w()} »<mark style="color:red;">«${w()}»</mark>« ${w()}»`,
  (w) =>
    `{% step title="«${w()} »\\"«${w()}»\\"" %}\n«${w()} »<i class="fa-gear">:gear:</i>« ${w()} »<img src="x.png" alt="«${w()} & ${w()}»">« ${w()}»\n{% endstep %}`,
  (w) => `{% if visitor.claims.beta %}\n«${w()}»\n{% endif %}`,
  (w) => `***\n\n«${w()}»\n\n[ref]: https://example.com/x`,
  (w) => `«${w()}»\\\n«${w()}»  \n«${w()}»`,
  (w) => `{% for x in y %} «${w()}»`,
  (w) => `«${w()} »:smile:« 日本語 ${w()} — “${w()}” … »\`\`a\`b\`\``,
  (w) => `«${w()}»[^1]\n\n[^1]: «${w()}»`,
]
