// Package assert stands in for the library of that name where tests use no more than its common functions; it counts
// what was asserted.
package assert

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// TestingT is what a test can be told.
type TestingT interface {
	Errorf(format string, args ...interface{})
}

var (
	lock      sync.Mutex
	evaluated int
	said      []string
)

// Evaluated is how many assertions were evaluated.
func Evaluated() int {
	lock.Lock()
	defer lock.Unlock()
	return evaluated
}

// Said is what the assertions that failed said.
func Said() string {
	lock.Lock()
	defer lock.Unlock()
	return strings.Join(said, "\n")
}

// Assertions are the same functions bound to a test.
type Assertions struct{ t TestingT }

// New binds assertions to a test.
func New(t TestingT) *Assertions { return &Assertions{t} }

func judge(t TestingT, holds bool, what string, message []interface{}) bool {
	lock.Lock()
	evaluated++
	lock.Unlock()
	if holds {
		return true
	}
	if len(message) > 0 {
		if format, is := message[0].(string); is {
			what += "\nmessage:  " + fmt.Sprintf(format, message[1:]...)
		} else {
			what += "\nmessage:  " + fmt.Sprint(message...)
		}
	}
	what = place() + what
	lock.Lock()
	said = append(said, what)
	lock.Unlock()
	t.Errorf("%s", what)
	return false
}

// place is the line of the test that asserts.
func place() string {
	for depth := 2; depth < 12; depth++ {
		_, file, line, ok := runtime.Caller(depth)
		if !ok {
			break
		}
		if name := file[strings.LastIndex(file, "/")+1:]; name != "assert.go" {
			return fmt.Sprintf("%s:%d: ", name, line)
		}
	}
	return ""
}

// ObjectsAreEqual compares as Equal does.
func ObjectsAreEqual(expected, actual interface{}) bool {
	if expected == nil || actual == nil {
		return expected == actual
	}
	left, isBytes := expected.([]byte)
	if !isBytes {
		return reflect.DeepEqual(expected, actual)
	}
	right, isBytes := actual.([]byte)
	if !isBytes {
		return false
	}
	if left == nil || right == nil {
		return left == nil && right == nil
	}
	return bytes.Equal(left, right)
}

// ObjectsAreEqualValues compares as EqualValues does.
func ObjectsAreEqualValues(expected, actual interface{}) bool {
	if ObjectsAreEqual(expected, actual) {
		return true
	}
	kind := reflect.TypeOf(actual)
	value := reflect.ValueOf(expected)
	if kind == nil || !value.IsValid() || !value.Type().ConvertibleTo(kind) {
		return false
	}
	return reflect.DeepEqual(value.Convert(kind).Interface(), actual)
}

func both(expected, actual interface{}) string {
	return fmt.Sprintf("not equal\nexpected: %#v (%T)\nactual:   %#v (%T)", expected, expected, actual, actual)
}

func isNil(object interface{}) bool {
	if object == nil {
		return true
	}
	value := reflect.ValueOf(object)
	switch value.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Ptr, reflect.Slice, reflect.UnsafePointer:
		return value.IsNil()
	}
	return false
}

func isEmpty(object interface{}) bool {
	if isNil(object) {
		return true
	}
	value := reflect.ValueOf(object)
	switch value.Kind() {
	case reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return value.Len() == 0
	case reflect.Ptr:
		return isEmpty(value.Elem().Interface())
	}
	return reflect.DeepEqual(object, reflect.Zero(value.Type()).Interface())
}

func length(object interface{}) (count int, has bool) {
	defer func() { has = recover() == nil }()
	return reflect.ValueOf(object).Len(), true
}

func number(object interface{}) (float64, bool) {
	value := reflect.ValueOf(object)
	switch value.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(value.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(value.Uint()), true
	case reflect.Float32, reflect.Float64:
		return value.Float(), true
	}
	return 0, false
}

func includes(list, element interface{}) bool {
	value := reflect.ValueOf(list)
	switch value.Kind() {
	case reflect.String:
		part, is := element.(string)
		return is && strings.Contains(value.String(), part)
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if ObjectsAreEqual(key.Interface(), element) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for at := 0; at < value.Len(); at++ {
			if ObjectsAreEqual(value.Index(at).Interface(), element) {
				return true
			}
		}
	}
	return false
}

func sameElements(left, right interface{}) bool {
	if isEmpty(left) && isEmpty(right) {
		return true
	}
	one, other := reflect.ValueOf(left), reflect.ValueOf(right)
	isList := func(value reflect.Value) bool { return value.Kind() == reflect.Slice || value.Kind() == reflect.Array }
	if !isList(one) || !isList(other) || one.Len() != other.Len() {
		return false
	}
	taken := make([]bool, other.Len())
next:
	for at := 0; at < one.Len(); at++ {
		for to := range taken {
			if !taken[to] && ObjectsAreEqual(one.Index(at).Interface(), other.Index(to).Interface()) {
				taken[to] = true
				continue next
			}
		}
		return false
	}
	return true
}

func Equal(t TestingT, expected, actual interface{}, message ...interface{}) bool {
	return judge(t, ObjectsAreEqual(expected, actual), both(expected, actual), message)
}

func NotEqual(t TestingT, expected, actual interface{}, message ...interface{}) bool {
	return judge(t, !ObjectsAreEqual(expected, actual), fmt.Sprintf("equal: %#v", actual), message)
}

func EqualValues(t TestingT, expected, actual interface{}, message ...interface{}) bool {
	return judge(t, ObjectsAreEqualValues(expected, actual), both(expected, actual), message)
}

func True(t TestingT, value bool, message ...interface{}) bool {
	return judge(t, value, "not true", message)
}

func False(t TestingT, value bool, message ...interface{}) bool {
	return judge(t, !value, "not false", message)
}

func Nil(t TestingT, object interface{}, message ...interface{}) bool {
	return judge(t, isNil(object), fmt.Sprintf("not nil: %#v", object), message)
}

func NotNil(t TestingT, object interface{}, message ...interface{}) bool {
	return judge(t, !isNil(object), "nil", message)
}

func NoError(t TestingT, err error, message ...interface{}) bool {
	return judge(t, err == nil, fmt.Sprintf("error: %v", err), message)
}

func Error(t TestingT, err error, message ...interface{}) bool {
	return judge(t, err != nil, "no error", message)
}

func Empty(t TestingT, object interface{}, message ...interface{}) bool {
	return judge(t, isEmpty(object), fmt.Sprintf("not empty: %#v", object), message)
}

func NotEmpty(t TestingT, object interface{}, message ...interface{}) bool {
	return judge(t, !isEmpty(object), "empty", message)
}

func Len(t TestingT, object interface{}, wanted int, message ...interface{}) bool {
	count, has := length(object)
	return judge(t, has && count == wanted, fmt.Sprintf("length %d expected: %#v", wanted, object), message)
}

func Contains(t TestingT, list, element interface{}, message ...interface{}) bool {
	return judge(t, includes(list, element), fmt.Sprintf("%#v isn't in %#v", element, list), message)
}

func NotContains(t TestingT, list, element interface{}, message ...interface{}) bool {
	return judge(t, !includes(list, element), fmt.Sprintf("%#v is in %#v", element, list), message)
}

func ElementsMatch(t TestingT, left, right interface{}, message ...interface{}) bool {
	return judge(t, sameElements(left, right), both(left, right), message)
}

func InDelta(t TestingT, expected, actual interface{}, delta float64, message ...interface{}) bool {
	left, isLeft := number(expected)
	right, isRight := number(actual)
	near := isLeft && isRight && (math.Abs(left-right) <= delta || math.IsNaN(left) && math.IsNaN(right))
	return judge(t, near, both(expected, actual), message)
}

func Panics(t TestingT, call func(), message ...interface{}) bool {
	panicked := func() (panicked bool) {
		defer func() { panicked = recover() != nil }()
		call()
		return
	}()
	return judge(t, panicked, "no panic", message)
}

func (a *Assertions) Equal(expected, actual interface{}, message ...interface{}) bool {
	return Equal(a.t, expected, actual, message...)
}

func (a *Assertions) NotEqual(expected, actual interface{}, message ...interface{}) bool {
	return NotEqual(a.t, expected, actual, message...)
}

func (a *Assertions) EqualValues(expected, actual interface{}, message ...interface{}) bool {
	return EqualValues(a.t, expected, actual, message...)
}

func (a *Assertions) True(value bool, message ...interface{}) bool { return True(a.t, value, message...) }

func (a *Assertions) False(value bool, message ...interface{}) bool { return False(a.t, value, message...) }

func (a *Assertions) Nil(object interface{}, message ...interface{}) bool {
	return Nil(a.t, object, message...)
}

func (a *Assertions) NotNil(object interface{}, message ...interface{}) bool {
	return NotNil(a.t, object, message...)
}

func (a *Assertions) NoError(err error, message ...interface{}) bool { return NoError(a.t, err, message...) }

func (a *Assertions) Error(err error, message ...interface{}) bool { return Error(a.t, err, message...) }

func (a *Assertions) Empty(object interface{}, message ...interface{}) bool {
	return Empty(a.t, object, message...)
}

func (a *Assertions) NotEmpty(object interface{}, message ...interface{}) bool {
	return NotEmpty(a.t, object, message...)
}

func (a *Assertions) Len(object interface{}, wanted int, message ...interface{}) bool {
	return Len(a.t, object, wanted, message...)
}

func (a *Assertions) Contains(list, element interface{}, message ...interface{}) bool {
	return Contains(a.t, list, element, message...)
}

func (a *Assertions) NotContains(list, element interface{}, message ...interface{}) bool {
	return NotContains(a.t, list, element, message...)
}

func (a *Assertions) ElementsMatch(left, right interface{}, message ...interface{}) bool {
	return ElementsMatch(a.t, left, right, message...)
}

func (a *Assertions) InDelta(expected, actual interface{}, delta float64, message ...interface{}) bool {
	return InDelta(a.t, expected, actual, delta, message...)
}

func (a *Assertions) Panics(call func(), message ...interface{}) bool { return Panics(a.t, call, message...) }
