"""JSON with comments, edited in place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.hook_install.jsonc import DEEPEST, NotJson, indent_of, insert, made, parse, remove

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 0, 1, 4, "\t"]), st.booleans())
def test_whatever_json_writes_is_read(value: object, indent: int | str | None, ascii: bool) -> None:
    assert parse(json.dumps(value, indent=indent, ensure_ascii=ascii)).data() == value


def test_comments_and_a_last_comma_may_stand_there() -> None:
    text = '// top\n{ /* a */ "a" : [1, /* , */ 2,], // b\n "b": {"c": "// no", }, }\n/* end */ '
    assert parse(text).data() == {"a": [1, 2], "b": {"c": "// no"}}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1"),
        ("{", "the end"),
        ('{\n"a" 1}', "line 2: a colon"),
        ('{"a": 1 "b": 2}', "a comma or `}`"),
        ("[1 2]", "a comma or `]`"),
        ("{a: 1}", "a value"),
        ("{1: 2}", "a name in double quotes"),
        ('{"a": 1} x', "nothing more"),
        ('{"a": "x\n"}', "a value"),
        ("'a'", "a value"),
        ("/* open", "a value"),
        ('"\\q"', "no JSON"),
        ("[" * (DEEPEST + 2), "nested too deep"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, where: str) -> None:
    with pytest.raises(NotJson, match="line") as refused:
        parse(text)
    assert where in str(refused.value)


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 0, 3]), st.sampled_from(["", "\n", "  // x\n"]))
def test_what_was_put_in_can_be_taken_out_again(values: list[object], indent: int | None, after: str) -> None:
    text = json.dumps(values, indent=indent) + after
    longer = insert(text, parse(text), '{"mine": [1]}', "   ")
    assert parse(longer).data() == [*values, {"mine": [1]}]
    assert remove(longer, parse(longer), len(values)) == text


@given(st.lists(st.integers(), min_size=1, max_size=5), st.data())
def test_any_element_can_be_taken_out(values: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    text = json.dumps(values, indent=data.draw(st.sampled_from([None, 2])))
    assert parse(remove(text, parse(text), at)).data() == values[:at] + values[at + 1 :]


def test_a_last_comma_goes_with_the_only_element() -> None:
    assert parse(remove("[1, ]", parse("[1, ]"), 0)).data() == []


@pytest.mark.parametrize("text", ["[]", "[ ]", "[\n]", "[ // nothing\n]"])
def test_an_empty_list_of_the_users_is_told_from_one_that_was_made(text: str) -> None:
    filled = insert(text, parse(text), "1", "  ")
    assert not made(filled, parse(filled))
    assert made("[\n  1]", parse("[\n  1]"))
    assert made("[1]", parse("[1]"))
    assert not made("[\n1, 2]", parse("[\n1, 2]"))


def test_the_last_of_two_members_of_one_name_counts() -> None:
    found = parse('{"a": 1, "a": 2}').get("a")
    assert found is not None
    assert found.data() == 2
    assert parse("[1]").get("a") is None


def test_the_indentation_of_a_line() -> None:
    assert indent_of('{\n\t "a": 1}', 6) == "\t "
    assert indent_of('{"a": 1}', 3) == ""
