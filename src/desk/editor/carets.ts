/** The carets of other writers, at the lines where they are. */
import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

/** Another writer. */
export interface OtherCaret {
  name: string
  line: number
}

class Caret extends WidgetType {
  constructor(readonly name: string) {
    super()
  }
  override eq(other: Caret): boolean {
    return other.name === this.name
  }
  toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = 'caret o'
    caret.dataset.n = this.name
    caret.setAttribute('aria-hidden', 'true')
    return caret
  }
}

const setCarets = StateEffect.define<readonly OtherCaret[]>()
const carets = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, { changes, effects, state }) => {
    for (const effect of effects)
      if (effect.is(setCarets))
        return Decoration.set(
          effect.value
            .filter(({ line }) => line <= state.doc.lines)
            .map(({ name, line }) =>
              Decoration.widget({ widget: new Caret(name), side: 1 }).range(state.doc.line(line).to),
            ),
          true,
        )
    return value.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Returns the extension. */
export const othersCarets = (): Extension => carets

/** Shows where others are. */
export const showCarets = (view: EditorView, others: readonly OtherCaret[]): void =>
  view.dispatch({ effects: setCarets.of(others) })
