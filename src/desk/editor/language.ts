/** The language of the editor: markdown with front matter and the format's blocks `{% … %}`. */
import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  LanguageSupport,
  syntaxHighlighting,
} from '@codemirror/language'
import { styleTags, Tag, tags } from '@lezer/highlight'
import { type BlockContext, GFM, type Line, type MarkdownConfig, parser } from '@lezer/markdown'

const blockTag = Tag.define()
const frontMatter = Tag.define()

/** Maximum number of lines that are searched for the end of a front matter. */
const MAX_FRONT_MATTER_LINES = 2_000
const TAG_LINE = /^\s*\{%[^%]*%\}\s*$/
const FENCE = /^---[ \t]*$/

function parseFrontMatter(cx: BlockContext, line: Line): boolean {
  if (cx.lineStart !== 0 || !FENCE.test(line.text)) return false
  for (let lines = 0; lines < MAX_FRONT_MATTER_LINES && cx.nextLine(); lines++)
    if (FENCE.test(line.text)) {
      cx.nextLine()
      break
    }
  cx.addElement(cx.elt('FrontMatter', 0, cx.prevLineEnd()))
  return true
}

const format: MarkdownConfig = {
  defineNodes: [
    { name: 'FrontMatter', block: true, style: frontMatter },
    { name: 'BlockTag', block: true, style: blockTag },
    { name: 'InlineTag', style: blockTag },
  ],
  parseBlock: [
    { name: 'FrontMatter', before: 'HorizontalRule', parse: parseFrontMatter },
    {
      name: 'BlockTag',
      before: 'HTMLBlock',
      parse(cx, line) {
        if (!TAG_LINE.test(line.text)) return false
        const start = cx.lineStart + line.pos
        const end = cx.lineStart + line.text.length
        cx.nextLine()
        cx.addElement(cx.elt('BlockTag', start, end))
        return true
      },
      endLeaf: (_cx, line) => TAG_LINE.test(line.text),
    },
  ],
  parseInline: [
    {
      name: 'InlineTag',
      before: 'Link',
      parse(cx, next, pos) {
        if (next !== 123 || cx.char(pos + 1) !== 37) return -1
        const end = cx.slice(pos, cx.end).indexOf('%}')
        return end < 0 ? -1 : cx.addElement(cx.elt('InlineTag', pos, pos + end + 2))
      },
    },
  ],
  props: [
    styleTags({
      'HeaderMark QuoteMark ListMark LinkMark EmphasisMark CodeMark StrikethroughMark TaskMarker TableDelimiter HardBreak':
        tags.processingInstruction,
      'ATXHeading1/... ATXHeading2/... ATXHeading3/... ATXHeading4/... ATXHeading5/... ATXHeading6/...': tags.heading,
      'SetextHeading1/... SetextHeading2/...': tags.heading,
      'StrongEmphasis/...': tags.strong,
      'Emphasis/...': tags.emphasis,
      'Strikethrough/...': tags.strikethrough,
      InlineCode: tags.string,
      'URL Autolink': tags.url,
      'HTMLTag HTMLBlock Comment CommentBlock Entity Escape CodeInfo': tags.meta,
    }),
  ],
}

const styles = HighlightStyle.define([
  { tag: tags.processingInstruction, class: 'm' },
  { tag: tags.meta, class: 'm' },
  { tag: tags.heading, class: 'hd' },
  { tag: tags.strong, class: 'hd' },
  { tag: tags.emphasis, class: 'em' },
  { tag: tags.strikethrough, class: 'sk-t' },
  { tag: tags.string, class: 'st' },
  { tag: tags.url, class: 'k' },
  { tag: blockTag, class: 'tg' },
  { tag: frontMatter, class: 'tg' },
])

const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })
const language = new Language(data, parser.configure([GFM, format]), [], 'markdown')

/** Returns the extension with the language and its colors. */
export const markdownLanguage = () => [new LanguageSupport(language), syntaxHighlighting(styles)]
