/** Tests hostile author text: nothing runs, nothing escapes its block, and no text is lost or doubled. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { BlockNode } from '../../src/content/types.js'
import { describeBlocks } from '../../src/content/blocks/describe.js'
import { renderPage } from '../../src/render/page.js'
import { tableTargets } from '../../src/render/targets.js'
import { soup as blockSoup } from '../content/blocks/soup.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'
import { faults, html, ORDER, textIn } from './render.js'

const test = suite('render: hostile input')

const ATTACKS = [
  '<script>alert(1)</script>',
  '<ScRiPt/x>alert(1)</sCrIpT >',
  '<img src=x onerror=alert(1)>',
  '<img/src="x"/onerror=alert(1)//',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href=" &#1; javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt&colon;alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '<iframe srcdoc="<script>1</script>"></iframe>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<form action="javascript:x"><input type=submit><button formaction=javascript:x>b</button></form>',
  '<p style="background:url(javascript:x);position:fixed;top:0">s</p>',
  '<div style="width: expression(alert(1))">x</div>',
  '<link rel=stylesheet href="https://x.org/a.css"><meta http-equiv=refresh content="0;url=javascript:x"><base href="//x.org">',
  '<object data="x.swf"></object><embed src="x.swf"><applet code=x></applet>',
  '<template><script>1</script></template><noscript><img src=x onerror=1></noscript>',
  '<xmp><script>1</script></xmp><plaintext>',
  '<textarea><script>1</script></textarea><title><script>1</script></title>',
  '</div></div></body></html><script>alert(1)</script>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php echo 1 ?><!DOCTYPE x [<!ENTITY a "b">]>',
  '<bindery-slot data-slot="0"></bindery-slot><bindery-slot data-slot="99"></bindery-slot>',
  '[x](javascript:alert(1))',
  '[x](<java\nscript:alert(1)>)',
  '![x](javascript:alert(1))',
  '![x](data:text/html,<script>1</script>)',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '$$\\href{javascript:alert(1)}{x}$$',
  '$$\\htmlData{x=1}{y}\\includegraphics{x}$$',
  '$$"><script>alert(1)</script>$$',
  '```"><script>\n</code><script>alert(1)</script>\n```',
  '{% hint style="\\"><script>1</script>" %}\n<script>1</script>\n{% endhint %}',
  '{% code title="</p><script>1</script>" %}\n```html\n<script>alert(1)</script>\n```\n{% endcode %}',
  '{% embed url="javascript:alert(1)" %}',
  '{% file src="javascript:alert(1)" %}',
  '{% content-ref url="javascript:alert(1)" %}\n{% endcontent-ref %}',
  '{% column width="1%;position:fixed" %}\n{% endcolumn %}',
  '{% openapi-operation spec="<script>" path="<img src=x onerror=1>" method="get\\" onclick=\\"x" %}\n{% endopenapi-operation %}',
  '{% update date="\\"><script>1</script>" %}\n{% endupdate %}',
  '<mark style="color:red;background:url(//x.org)">m</mark>',
  '<i class="fa-x onclick=1" style="color:red;position:fixed"></i>',
  '<a href="https://x.org" class="button primary" onclick="x" data-icon="<script>">b</a>',
  '<table data-view="cards"><tbody><tr><td onclick=1><script>1</script></td></tr></tbody></table>',
  '<table><thead><tr><th width="1" align="center onclick=x" data-type="files">a</th></tr></thead><tbody><tr><td colspan="2 onclick=1">b</td></tr></tbody></table>',
  '<figure><img src="pic.png" width="1 onerror=1" alt="&quot;><script>1</script>"><figcaption><script>1</script></figcaption></figure>',
  '<details ontoggle=alert(1) open><summary onclick=1>s</summary>\n\nx\n\n</details>',
  '<picture><source srcset="javascript:x" media="(prefers-color-scheme: dark)"><img src="pic.png"></picture>',
  '# <script>alert(1)</script> {#"><script>}',
  '<a id="&quot;><script>1</script>"></a>',
  '[^1]\n\n[^1]: <script>alert(1)</script>',
  '{% if "><script>alert(1)</script> %}\nx\n{% endif %}',
]

for (const attack of ATTACKS)
  test(`the rendered attack does not run: ${attack.slice(0, 60).replace(/\n/g, ' ')}`, () => {
    for (const markdown of [
      attack,
      `text ${attack} text`,
      `> * ${attack}`,
      `<div>\n\n${attack}`,
      `{% tabs %}\n{% tab title="x" %}\n${attack}\n{% endtab %}\n{% endtabs %}`,
    ])
      assert.equal(faults(html(markdown)), [], markdown)
  })

test('no combination of attacks runs', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(...ATTACKS),
          blockSoup,
          fc.constantFrom('\n\n', '</p>', '<p', '">', "'", '`', '<!--', '-->', '<b>', '<td>', '<table>'),
        ),
        { maxLength: 12 },
      ),
      (parts) => {
        assert.equal(faults(html(parts.join(''))), [])
      },
    ),
    { numRuns: 300 },
  )
})

const TYPES = describeBlocks()
const hostile = fc.oneof(
  fc.constantFrom(...ATTACKS),
  unicodeText(),
  fc.constantFrom('javascript:alert(1)', '"><x y=', 'fixed;position:fixed', '1" onload="x'),
)
const reference = hostile.map((url) => ({ kind: 'url', url }))
const data = fc.dictionary(
  fc.constantFrom(
    'ref',
    'refDark',
    'link',
    'src',
    'srcDark',
    'alt',
    'title',
    'style',
    'icon',
    'method',
    'path',
    'spec',
    'name',
    'width',
    'height',
    'align',
    'id',
    'label',
    'formula',
    'syntax',
    'html',
    'date',
    'expression',
    'view',
    'caption',
    'size',
    'checked',
    'color',
    'background',
    'start',
    'definition',
    'records',
    'attributes',
    'lineNumbers',
  ),
  fc.oneof(
    hostile,
    reference,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.array(fc.record({ align: hostile, type: hostile, cover: reference, target: reference }), { maxLength: 2 }),
  ),
  { maxKeys: 6 },
)
const texts = fc.record({
  object: fc.constant('text' as const),
  key: fc.constant(''),
  leaves: fc.array(
    fc.record({
      object: fc.constant('leaf' as const),
      text: hostile,
      marks: fc.array(
        fc.record({
          object: fc.constant('mark' as const),
          type: fc.constantFrom('bold', 'code', 'color', '__proto__'),
          data,
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
})
const { block } = fc.letrec((tie) => ({
  block: fc.record({
    object: fc.constantFrom('block' as const, 'inline' as const),
    type: fc.constantFrom(...TYPES.map(({ type }) => type), '__proto__', 'constructor', 'nonsense'),
    key: fc.constant(''),
    isVoid: fc.constant(false),
    data,
    nodes: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, texts, tie('block')), { maxLength: 3 }),
  }),
}))

test('no block tree runs, whatever its data contains', () => {
  fc.assert(
    fc.property(fc.array(block as fc.Arbitrary<BlockNode>, { maxLength: 4 }), (nodes) => {
      const options = { ...ORDER, targets: tableTargets(ORDER.targets, ''), positions: true }
      assert.equal(faults(renderPage({ object: 'document', data: { schemaVersion: 1 }, nodes }, options).html), [])
    }),
    { numRuns: 500 },
  )
})

test('text is rendered as written, once', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ATTACKS), fc.nat(1000), (attack, n) => {
      const written = `${attack.replace(/\s+/g, ' ')} ${n}`
      const shown = textIn(html(`\`\`\`\n${written}\n\`\`\`\n`))
      assert.is(shown.split(written).length, 2, shown)
    }),
    { numRuns: 100 },
  )
})

test('HTML of authors does not swallow the blocks around it', () => {
  for (const open of [
    '<div>',
    '<table><tr><td>',
    '<a href="https://x.org">',
    '<svg>',
    '<plaintext>',
    '<select>',
    '<math><mi>',
    '</div></div></article>',
  ]) {
    const shown = textIn(
      html(`${open}\n\nfirst paragraph\n\n{% hint style="info" %}\nin the hint\n{% endhint %}\n\nlast paragraph\n`),
    )
    for (const words of ['first paragraph', 'in the hint', 'last paragraph'])
      assert.is(shown.split(words).length, 2, `${open}: ${shown}`)
  }
})

test('deep nesting is rendered in time, as source if necessary', () => {
  for (const piece of [
    '<div>',
    '<b>',
    '<table><tr><td>',
    '> ',
    '* ',
    '<details><summary>x</summary>\n\n',
    '{% hint %}\n',
  ])
    assert.type(html(piece.repeat(5_000)), 'string')
})

test.run()
