"""The mask editor: see `mask_editor`."""

from components.mask_editor.view import EditorEvent, EditorRow, editor_event, mask_editor

__all__ = ["EditorEvent", "EditorRow", "editor_event", "mask_editor"]
